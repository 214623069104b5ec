//! Keeps the plugin's code in memory when OpenSM closes its plugins: threads and thread-locals still need it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
