//! The folder where OpenSM finds `libdmodc.so`, and the laboratory's own `libdmodc_lab.so` beside it.

use crate::LabError;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "libdmodc.so";

/// Dmodc's plugin and the laboratory's: in a known folder, or installed, so that the loader finds them.
#[derive(Clone, Debug)]
pub struct Plugin {
    dir: Option<PathBuf>,
}

impl Plugin {
    /// Takes the folder of this program if it has `libdmodc.so`; else the loader has to find the plugins.
    pub fn find() -> Plugin {
        let program = env::current_exe().unwrap_or_default();
        let dir = program.parent().filter(|dir| dir.join(FILE).exists());
        Plugin {
            dir: dir.map(Path::to_owned),
        }
    }

    pub fn in_dir(dir: &Path) -> Result<Plugin, LabError> {
        // OpenSM runs in another folder: the path has to be absolute.
        let file = dir.join(FILE);
        let file = fs::canonicalize(&file).map_err(LabError::file(&file))?;
        Ok(Plugin {
            dir: file.parent().map(Path::to_owned),
        })
    }

    /// The folder; `None` if the loader has to find the plugins.
    pub(super) fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }
}
