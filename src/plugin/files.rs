//! Files that others read while they are written anew, and files that others write anew.

use std::fs::Metadata;
use std::io::Write;
use std::path::Path;
use std::time::SystemTime;
use std::{fs, io};

/// When a file was written, and how long it is: another stamp is another content.
pub type Stamp = (SystemTime, u64);

/// The stamp of a file, if the file system knows times.
pub fn stamp(metadata: &Metadata) -> Option<Stamp> {
    Some((metadata.modified().ok()?, metadata.len()))
}

/// Puts a text in the place of a file: whoever reads it finds the old one or the new one, also when
/// this process or the machine dies in between. What such a death leaves is `FILE.tmp`, which the next
/// call writes anew.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let written = fs::File::create(&temporary).and_then(|mut file| {
        file.write_all(text)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        // It may not be there.
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_the_old_one_s_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        // A process was killed while it wrote.
        fs::write(folder.path().join("file.tmp"), "unfinished, and longer").expect("written");
        for text in ["old", "new"] {
            replace(&path, text.as_bytes()).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("there"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1);
        assert!(replace(&folder.path().join("no/such/folder"), b"").is_err());
    }
}
