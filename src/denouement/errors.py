"""The one exception that a user's mistake raises."""


class UserError(Exception):
    """Something the user can mend: one line saying what is wrong, where, and how to mend it.

    The command line prints the message on standard error and exits with status 2; everything else that escapes is a
    defect of this package and keeps its traceback.
    """
