"""The language server: what caffelint knows of a solver and its nets, shown in an editor while they are written.

Nothing is executed, and files are changed by the editor alone: the server answers with edits. It works on open texts
as they are, saved or not, and on the files beside them.
"""
