"""Rules on what converters and runtimes make of a net."""
