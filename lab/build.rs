//! OpenSM closes its plugins when it ends; threads and thread-locals of ours must not find their code gone.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
