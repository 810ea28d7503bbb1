"""The one exception that a user's mistake raises, and how a person is told of it."""


class UserError(Exception):
    """Something the user can mend: one line saying what is wrong, where, and how to mend it.

    The command line prints the message on standard error and exits with status 2; so it does for what the machine
    refuses (`one_line`). Everything else that escapes is a defect of this package and keeps its traceback.
    """


def is_defect(error: BaseException) -> bool:
    """Whether `error` is a defect of this package, not a user's mistake or what the machine refuses."""
    return not (isinstance(error, UserError | OSError) or lacks_memory(error))


def lacks_memory(error: BaseException) -> bool:
    """Whether `error` says that memory ran out: Python's own, or PyTorch's, which on the CPU is a text alone."""
    told = f"{type(error).__name__}: {error}"
    return isinstance(error, MemoryError) or "OutOfMemoryError" in told or "DefaultCPUAllocator" in told


def one_line(error: BaseException) -> str:
    """What to print of an error that is no defect: one line, whatever is in the names of files and the texts it tells.

    Of an OSError, such as a full disk, it is the file's name, where one is known, and what the system says.
    """
    if isinstance(error, UserError):
        text = str(error)
    elif lacks_memory(error):
        text = "not enough memory: do less at a time"
    elif isinstance(error, OSError):
        told = [str(part) for part in (error.filename, error.strerror) if part]
        text = ": ".join(told) or str(error) or type(error).__name__
    else:
        text = str(error)
    return printable(text)


def first_line(error: BaseException) -> str:
    """What `error` says in its first line; its kind where it says nothing."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def printable(text: str) -> str:
    """`text` on one line, what cannot be printed (a line break in a file's name, ...) written as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
