//! Colours and styles of a drawing.

/// Colours of the risks, from none to more than twice the bound: distinct without red and green, on light and
/// on dark.
pub const RAMP: [&str; 5] = ["#8a94a3", "#3d8fd9", "#e3a21a", "#e8622c", "#c2185b"];

/// Light or dark, as the reader's system is.
const STYLE: &str = "
svg { background: #ffffff; font-family: sans-serif; }
text { fill: #1c2430; font-size: 11px; paint-order: stroke; stroke: #ffffff; stroke-width: 2.5px; }
rect + text { stroke: none; }
.title { font-size: 16px; font-weight: bold; }
.small { font-size: 9px; fill: #5a6472; }
rect.switch { fill: #eef2f7; stroke: #4a5666; }
rect.block { fill: #f4f6f9; stroke: #c3cad4; }
rect.stray { stroke: #d81bd8; }
rect.cell { fill: #8a94a3; }
.tiny { font-size: 8px; fill: #5a6472; stroke: none; }
path, line { fill: none; stroke: #8a94a3; }
.link.slow, path.slow { stroke-dasharray: 2 2; }
.link.drained, path.drained { stroke-dasharray: 8 3; }
path.wrong { stroke: #d81bd8; stroke-width: 2; }
rect.slow { stroke: #1c2430; stroke-dasharray: 2 2; }
rect.drained { fill-opacity: 0.25; stroke: #1c2430; }
rect.wrong { stroke: #d81bd8; stroke-width: 2; }
.missing { stroke: #d81bd8; stroke-width: 2; stroke-dasharray: 6 4; }
.matrix .missing { stroke-dasharray: none; }
@media (prefers-color-scheme: dark) {
  svg { background: #14181f; }
  text { fill: #e6ebf2; stroke: #14181f; }
  .small { fill: #9aa5b4; }
  rect.switch { fill: #263040; stroke: #93a1b5; }
  rect.block { fill: #1b212b; stroke: #3a4556; }
  .tiny { fill: #9aa5b4; }
  rect.slow, rect.drained { stroke: #e6ebf2; }
  .missing, path.wrong, rect.wrong, rect.stray { stroke: #ff6bff; }
}
";

/// The beginning of a drawing of some size.
pub fn opening(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\">\n<style>{STYLE}</style>\n"
    )
}
