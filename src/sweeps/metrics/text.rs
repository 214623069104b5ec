//! Writes Prometheus' text format.

use std::fmt::{Display, Write};

/// The text of a file.
#[derive(Default)]
pub struct Text(pub String);

impl Text {
    /// Writes the lines before the samples of a name.
    pub fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// A sample of a name.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0 += name;
        for (at, (label, text)) in labels.iter().enumerate() {
            let open = if at == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{open}{label}=\"{}\"", escaped(text));
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    /// A name with one sample.
    pub fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        self.sample(name, &[], value);
    }
}

/// The value of a label.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        let mut text = Text::default();
        let labels = [("name", "a \"b\" \\ {c=1}\nd"), ("port", "7")];
        text.sample("links", &labels, 1);
        let expected = r#"links{name="a \"b\" \\ {c=1}\nd",port="7"} 1"#;
        assert_eq!(text.0, format!("{expected}\n"));
    }
}
