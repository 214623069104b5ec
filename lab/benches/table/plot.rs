//! Runtime over the number of nodes, both axes logarithmic: the paper's figure "Algorithm runtime".
//!
//! Lines are the core with two threads, and a memset of its tables; points are engines in OpenSM. A
//! cross at the limit is an engine without tables: it took longer, refused or failed.

use super::core::Measured;
use super::engines::{Timed, total_ms};
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;
use std::time::Duration;

const THREADS: usize = 2;
const NODES: std::ops::Range<f64> = 250.0..60_000.0;

pub fn draw(
    file: &Path,
    fabrics: &[Measured],
    runs: &[Timed],
    limit: Duration,
) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(file, (960, 640)).into_drawing_area();
    area.fill(&WHITE)?;
    let top = limit.as_secs_f64() * 2e3;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(NODES.log_scale(), (0.01..top).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("end nodes")
        .y_desc("ms")
        .draw()?;

    let lines = [
        ("Dmodc, core", false, "all", BLACK),
        ("Dmodc, core, degraded", true, "all", RED),
        ("memset of the tables", false, "memset", CYAN),
    ];
    for (label, degraded, phase, color) in lines {
        let of_kind = fabrics.iter().filter(|f| f.degraded == degraded);
        let points = of_kind.map(|f| (f.nodes as f64, f.phase(THREADS, phase).ms));
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)).point_size(3))?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
    }
    let mut engines: Vec<&str> = Vec::new();
    for run in runs {
        if !engines.contains(&run.engine.as_str()) {
            engines.push(&run.engine);
        }
    }
    for (index, engine) in engines.into_iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let of_engine = runs.iter().filter(|r| r.engine == engine);
        let done = of_engine.clone().filter_map(|r| {
            let callbacks = r.outcome.as_ref().ok()?;
            Some((r.nodes as f64, total_ms(callbacks)))
        });
        let cut_off = of_engine
            .filter(|r| r.outcome.is_err())
            .map(|r| (r.nodes as f64, limit.as_secs_f64() * 1e3));
        chart.draw_series(cut_off.map(|at| Cross::new(at, 6, color.stroke_width(2))))?;
        chart
            .draw_series(done.map(|at| TriangleMarker::new(at, 6, color.filled())))?
            .label(format!("{engine}, in OpenSM"))
            .legend(move |(x, y)| TriangleMarker::new((x + 8, y), 6, color.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}
