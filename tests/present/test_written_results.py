from denouement.charts.lines import sizes_and_goal
from denouement.present.cells import Share
from denouement.present.output import write_result
from denouement.present.sections import Table


def test_the_chart_of_an_earlier_result_does_not_stay_beside_a_new_page(tmp_path):
    blocks = [Table(["share"], [[Share(0.5)]])]
    figure = sizes_and_goal({"one": [(10, 0.5), (20, 0.3)]}, 0.4, "width")
    for chart, names in ((figure, ["x.html", "x.json", "x.svg"]), (None, ["x.html", "x.json"])):
        write_result(tmp_path, "x", "A page", Share(0.5), blocks, chart)
        assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert "50.0%" in (tmp_path / "x.html").read_text()
