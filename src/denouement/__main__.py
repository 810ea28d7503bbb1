"""`python -m denouement`: the same as the command `denouement`."""

from denouement.cli import main

if __name__ == "__main__":
    main(prog_name="denouement")
