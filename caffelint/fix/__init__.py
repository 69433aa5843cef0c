"""Applies what rules offer as fixes, and writes files."""
