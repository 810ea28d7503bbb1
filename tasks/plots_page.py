"""The page on which `dvc plots show` draws: `python -m tasks.plots_page` writes it, and `make` does when it sets up.

DVC's own page loads Vega, which draws the plots, from the network. This one contains Vega, so it also works offline.
"""

import vl_convert

from denouement.files import write_text
from tasks import ROOT

PAGE = ROOT / ".dvc" / "plots.html"  # named in .dvc/config

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{{refresh_tag}}
<title>Denouement: plots</title>
<script>(() => {{
{vega}
}})();</script>
</head>
<body>
{{plot_divs}}
</body>
</html>
"""


def page() -> str:
    """The page as a template of DVC."""
    vega = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return _PAGE.format(vega=vega.replace("</script", "<\\/script"))


if __name__ == "__main__":
    write_text(PAGE, page())
