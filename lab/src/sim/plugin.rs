//! Where OpenSM finds `libdmodc.so`, and the laboratory's own `libdmodc_lab.so` beside it.

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
    /// Looks in the folder of this program. If they are not there, the loader has to find them.
    pub fn find() -> Plugin {
        let program = env::current_exe().unwrap_or_default();
        let dir = program.parent().filter(|dir| dir.join(FILE).exists());
        Plugin {
            dir: dir.map(Path::to_owned),
        }
    }

    pub fn in_dir(dir: &Path) -> Result<Plugin, LabError> {
        // OpenSM runs in another folder.
        let file = dir.join(FILE);
        let file = fs::canonicalize(&file).map_err(LabError::file(&file))?;
        Ok(Plugin {
            dir: file.parent().map(Path::to_owned),
        })
    }

    /// The folder; `None` if the loader has to find them.
    pub(super) fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }
}
