//! A Slurm of our own: munge, slurmctld and slurmd of Debian, one node, all in one folder and on ports of their own.

use dmodc_lab::sim::{Guard, Program, poll};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

const MUNGED: Program = of("munged", "munge");
const SLURMCTLD: Program = of("slurmctld", "slurmctld");
const SLURMD: Program = of("slurmd", "slurmd");
const SBATCH: Program = of("sbatch", "slurm-client");

const fn of(name: &'static str, package: &'static str) -> Program {
    Program { name, package }
}

/// How long a daemon may take to be ready.
const PATIENCE: Duration = Duration::from_secs(120);

/// The daemons. Jobs end before they do.
pub struct Slurm {
    dir: PathBuf,
    /// The first that is started is the last that ends.
    daemons: Vec<Guard>,
}

impl Slurm {
    /// Starts them in a folder; `None`, with a word about it, where Debian's packages are not installed.
    pub fn start(dir: &Path) -> Option<Slurm> {
        for program in [MUNGED, SLURMCTLD, SLURMD, SBATCH] {
            if let Err(missing) = program.command(dir) {
                crate::skip::skipped(missing);
                return None;
            }
        }
        let file = |name: &str| dir.join(name).display().to_string();
        for folder in ["state", "spool"] {
            fs::create_dir_all(dir.join(folder)).expect("a folder");
        }
        let key = dir.join("munge.key");
        fs::write(&key, [7; 128]).expect("a key");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("private");
        let mut slurm = Slurm {
            dir: dir.to_owned(),
            daemons: Vec::new(),
        };
        let mut options = vec!["--foreground".to_owned(), "--force".to_owned()];
        options.push(format!("--socket={}", file("munge.sock")));
        for name in ["key", "pid", "log", "seed"] {
            options.push(format!("--{name}-file={}", file(&format!("munge.{name}"))));
        }
        slurm.daemon(MUNGED, &options);
        slurm.ready("munged", || dir.join("munge.sock").exists());
        fs::write(dir.join("slurm.conf"), config(dir)).expect("a configuration");
        let conf = file("slurm.conf");
        slurm.daemon(SLURMCTLD, &["-D", "-c", "-f", &conf].map(String::from));
        slurm.daemon(
            SLURMD,
            &["-D", "-c", "-N", "node", "-f", &conf].map(String::from),
        );
        slurm.ready("slurmd", || {
            let states = slurm.ask("sinfo", &["--noheader", "--format=%T"]);
            String::from_utf8_lossy(&states.stdout).trim() == "idle"
        });
        Some(slurm)
    }

    /// A command of Slurm's clients.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command
            .env("SLURM_CONF", self.dir.join("slurm.conf"))
            .current_dir(&self.dir);
        command
    }

    fn ask(&self, name: &str, args: &[&str]) -> Output {
        self.command(name).args(args).output().expect("it runs")
    }

    fn daemon(&mut self, program: Program, args: &[String]) {
        let mut command = program.command(&self.dir).expect("it is there");
        command.args(args);
        let output = self.dir.join(format!("{}.out", program.name));
        self.daemons
            .push(Guard::start(command, &output).expect("it starts"));
    }

    fn ready(&self, name: &str, is: impl Fn() -> bool) {
        let ready = poll(PATIENCE, || is().then_some(()));
        assert!(ready.is_some(), "{name} is not ready: {}", self.words());
    }

    pub fn words(&self) -> String {
        let text = |name| fs::read_to_string(self.dir.join(format!("{name}.out")));
        let texts = ["munged", "slurmctld", "slurmd"].map(|name| text(name).unwrap_or_default());
        texts.join("\n")
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        // What a job has started is no child of slurmd's.
        if self.daemons.len() == 3 {
            self.ask("scancel", &["--partition=all"]);
            poll(Duration::from_secs(20), || {
                let left = self.ask("squeue", &["--noheader"]);
                left.stdout.is_empty().then_some(())
            });
        }
        while let Some(last) = self.daemons.pop() {
            drop(last);
        }
    }
}

/// As small a cluster as there can be: it follows processes by /proc, so it needs no cgroup.
fn config(dir: &Path) -> String {
    let word = |program: &str, arg: &str| {
        let output = Command::new(program).arg(arg).output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    // Both at once, so that they differ.
    let free = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    let [ctld, slurmd] = free.map(|free| free.local_addr().expect("a port").port());
    let (host, user, dir) = (word("uname", "-n"), word("id", "-un"), dir.display());
    let host = host.split('.').next().unwrap_or_default();
    format!(
        "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser={user}\nSlurmdUser={user}\n\
         AuthType=auth/munge\nAuthInfo=socket={dir}/munge.sock\nCredType=cred/munge\n\
         SlurmctldPort={ctld}\nSlurmdPort={slurmd}\nStateSaveLocation={dir}/state\nSlurmdSpoolDir={dir}/spool\n\
         SlurmctldPidFile={dir}/slurmctld.pid\nSlurmdPidFile={dir}/slurmd.pid\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\n\
         JobAcctGatherType=jobacct_gather/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n\
         MailProg=/bin/true\nReturnToService=2\nSlurmdParameters=config_overrides\n\
         NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN\n\
         PartitionName=all Nodes=ALL Default=YES State=UP\n"
    )
}
