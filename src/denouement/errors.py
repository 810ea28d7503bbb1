"""The exception for users' mistakes, and how errors are reported."""


class UserError(Exception):
    """A mistake that the user can mend: the message is one line that says what is wrong, where, and how to mend it.

    The command line prints the message on standard error and exits with status 2, as it does for errors of the machine,
    such as a full disk (`one_line`). All other exceptions are defects of this package and keep their traceback.
    """


def is_defect(error: BaseException) -> bool:
    """Whether `error` is a defect of this package, and neither a user's mistake nor an error of the machine."""
    return not (isinstance(error, UserError | OSError) or lacks_memory(error))


def lacks_memory(error: BaseException) -> bool:
    """Whether memory ran out; PyTorch's error is recognised by its text, as on the CPU it has no type of its own."""
    text = f"{type(error).__name__}: {error}"
    return isinstance(error, MemoryError) or "OutOfMemoryError" in text or "DefaultCPUAllocator" in text


def one_line(error: BaseException) -> str:
    """The message to print for an error that is no defect: always one line, with unprintable characters escaped.

    For an OSError, such as a full disk, it is the file's name, if one is known, and the system's description.
    """
    if isinstance(error, UserError):
        text = str(error)
    elif lacks_memory(error):
        text = "not enough memory: do less at a time"
    elif isinstance(error, OSError):
        parts = [str(part) for part in (error.filename, error.strerror) if part]
        text = ": ".join(parts) or str(error) or type(error).__name__
    else:
        text = str(error)
    return printable(text)


def first_line(error: BaseException) -> str:
    """The first line of the message of `error`; the name of its class if it has no message."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def printable(text: str) -> str:
    """`text` on one line, with unprintable characters, such as a line break in a file's name, as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
