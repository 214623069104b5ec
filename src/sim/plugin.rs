//! Where OpenSM finds `libdmodc.so`.

use super::SimError;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "libdmodc.so";

/// Dmodc's plugin: in a known folder, or installed, so that the loader finds it.
#[derive(Clone, Debug)]
pub struct Plugin {
    dir: Option<PathBuf>,
}

impl Plugin {
    /// Looks in the folder of this program. If it is not there, the loader has to find it.
    pub fn find() -> Plugin {
        let program = env::current_exe().unwrap_or_default();
        let dir = program.parent().filter(|dir| dir.join(FILE).exists());
        Plugin {
            dir: dir.map(Path::to_owned),
        }
    }

    /// The plugin in this folder.
    pub fn in_dir(dir: &Path) -> Result<Plugin, SimError> {
        // OpenSM runs in another folder.
        let file = dir.join(FILE);
        let file = fs::canonicalize(&file).map_err(SimError::file(&file))?;
        Ok(Plugin {
            dir: file.parent().map(Path::to_owned),
        })
    }

    /// The folder; `None` if the loader has to find it.
    pub(super) fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }
}
