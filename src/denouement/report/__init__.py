"""Result tables and figures for people."""
