"""How results are shown: typed cells, tables and sections, and their renderers for a terminal, Markdown and HTML."""
