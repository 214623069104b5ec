//! The year as a figure: blocks sent so far and the risks over the days, a line for each engine.

use plotters::prelude::*;
use std::error::Error;

const SIZE: (u32, u32) = (1000, 760);
/// Columns of the rows, by name, and whether they are added up.
const PANELS: [(&str, &str, bool); 4] = [
    ("blocks", "blocks of tables sent so far", true),
    ("a2a", "A2A", false),
    ("rp", "RP", false),
    ("sp", "SP", false),
];

/// The points of an engine.
type Line = (String, Vec<(f64, f64)>);

/// The figure of rows with a header, as an SVG.
pub fn svg(rows: &str) -> String {
    let mut svg = String::new();
    draw(rows, &mut svg).expect("a figure");
    svg
}

fn draw(rows: &str, svg: &mut String) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    for (panel, (column, title, adds)) in area.split_evenly((2, 2)).iter().zip(PANELS) {
        let lines = lines(rows, column, adds)?;
        let points = || lines.iter().flat_map(|line| &line.1);
        let days = points().fold(1.0f64, |most, p| most.max(p.0));
        let most = points().fold(2.0f64, |most, p| most.max(p.1));
        let mut chart = ChartBuilder::on(panel)
            .caption(title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(38)
            .y_label_area_size(80)
            .build_cartesian_2d(0.0..days, 0.0..most * 1.1)?;
        let mesh = &mut chart.configure_mesh();
        mesh.x_desc("day")
            .x_label_formatter(&|day| format!("{day:.0}"))
            .y_label_formatter(&|value| match adds {
                true => format!("{:.0} million", value / 1e6),
                false => format!("{value:.0}"),
            })
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (nth, (engine, points)) in lines.into_iter().enumerate() {
            let color = Palette99::pick(nth).stroke_width(2);
            let line = chart.draw_series(LineSeries::new(points, color))?;
            line.label(engine)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
        }
        if adds {
            let labels = &mut chart.configure_series_labels();
            let place = SeriesLabelPosition::UpperLeft;
            labels
                .position(place)
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK)
                .draw()?;
        }
    }
    area.present()?;
    drop(area);
    Ok(())
}

/// The line of each engine in a column of the rows.
fn lines(rows: &str, column: &str, adds: bool) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut rows = rows.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let head = rows.next().ok_or("no header")?;
    let at = |name| {
        head.iter()
            .position(|&field| field == name)
            .ok_or("no such column")
    };
    let [engine, day, value] = [at("engine")?, at("day")?, at(column)?];
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        if lines.last().is_none_or(|line| line.0 != row[engine]) {
            lines.push((row[engine].into(), Vec::new()));
        }
        let points = &mut lines.last_mut().ok_or("no line")?.1;
        let (day, value): (f64, f64) = (row[day].parse()?, row[value].parse()?);
        let before = points.last().map_or(value, |p| p.1);
        // What does not change is one line, what does a step.
        match (adds, &points[..]) {
            (true, []) => points.push((day, value)),
            (true, _) => points.push((day, before + value)),
            (false, [.., a, b]) if a.1 == value && b.1 == value => {
                points.pop();
                points.push((day, value));
            }
            (false, _) => points.extend([(day, before), (day, value)]),
        }
    }
    Ok(lines)
}
