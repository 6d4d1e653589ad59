//! Runs that are tested: the command or a control, its options, and its place on the disk.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::tree::BASE_URL;

/// Says to this binary, when it is started by itself, what it represents.
pub(crate) const ROLE: &str = "ABSOLVE_FAULTS_ROLE";

/// A run that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(120);

/// The program that a trial runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Command,
    /// Writes every page over itself.
    Naive,
    /// Writes whole files or none, but finds everything by its path.
    ByPath,
}

impl Subject {
    pub(crate) fn program(self) -> PathBuf {
        if self == Self::Command {
            let other = std::env::var_os("ABSOLVE_FAULTS_BIN").map(PathBuf::from);
            return other.unwrap_or_else(|| env!("CARGO_BIN_EXE_absolve").into());
        }
        std::env::current_exe().expect("the path of this test")
    }

    fn role(self) -> &'static str {
        match self {
            Self::Command => "",
            Self::Naive => "naive",
            Self::ByPath => "by-path",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    InPlace,
    NewTree,
    /// A folder with something in it: files take their places one by one.
    OldTree,
}

impl Target {
    /// Whether the tree that is read is another.
    pub(crate) fn is_other(self) -> bool {
        self != Self::InPlace
    }
}

/// A way to call the command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) target: Target,
    pub(crate) options: &'static [&'static str],
}

/// In place with one thread, so that every run makes equal system calls in equal order.
pub(crate) const PLAIN: Variant =
    Variant { name: "in_place", target: Target::InPlace, options: &["-j", "1"] };

pub(crate) const NEW_TREE: Variant =
    Variant { name: "new_tree", target: Target::NewTree, options: &["-j", "1"] };

pub(crate) const OLD_TREE: Variant =
    Variant { name: "old_tree", target: Target::OldTree, options: &["-j", "1", "--force"] };

/// In place, with every file flushed by itself and its old bytes kept.
pub(crate) const EACH: Variant = Variant {
    name: "each",
    target: Target::InPlace,
    options: &["-j", "1", "--sync", "always", "--backup"],
};

/// All ways to write documents; a kill meets other calls in each.
pub(crate) const VARIANTS: &[Variant] = &[
    PLAIN,
    NEW_TREE,
    Variant {
        name: "backups",
        target: Target::InPlace,
        options: &["-j", "2", "--sync", "always", "--backup"],
    },
    Variant {
        name: "unflushed",
        target: Target::InPlace,
        options: &["-j", "2", "--sync", "never"],
    },
    Variant { name: "new_tree_threads", target: Target::NewTree, options: &["-j", "2"] },
    OLD_TREE,
];

impl Variant {
    fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    pub(crate) fn has_backups(&self) -> bool {
        self.has("--backup")
    }
}

/// A folder of its own for one run and what follows it.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// In memory unless `ABSOLVE_FAULTS_DIR` names a folder: what a killed process wrote, the
    /// kernel has, whatever the file system, and a disk only makes the runs longer.
    pub(crate) fn new() -> std::io::Result<Self> {
        let named = std::env::var_os("ABSOLVE_FAULTS_DIR").map(PathBuf::from);
        let folder = named.unwrap_or_else(|| "/dev/shm".into()).canonicalize();
        let memory = folder.and_then(tempfile::tempdir_in);
        Ok(Self { folder: memory.or_else(|_| tempfile::tempdir())? })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn site(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    /// The folder that a run writes to.
    pub(crate) fn target(&self, target: Target) -> PathBuf {
        match target {
            Target::InPlace => self.site(),
            Target::NewTree | Target::OldTree => self.folder.path().join("out"),
        }
    }
}

/// Whether a run is the first one in its place: a new tree needs --force where a
/// run before left something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    First,
    Again,
}

/// A run that is about to start: the words, and who starts it.
pub(crate) struct Run {
    words: Vec<OsString>,
    role: &'static str,
}

impl Run {
    pub(crate) fn new(subject: Subject, variant: &Variant, round: Round, place: &Place) -> Self {
        let mut words = vec![subject.program().into_os_string(), "rewrite".into()];
        words.push(place.site().into_os_string());
        words.extend(["-b", BASE_URL].map(OsString::from));
        words.extend(variant.options.iter().map(OsString::from));
        match variant.target {
            Target::InPlace => words.push("-w".into()),
            Target::NewTree | Target::OldTree => {
                words.push("-o".into());
                words.push(place.target(variant.target).into_os_string());
                words.push("--copy-assets".into());
                if round == Round::Again && variant.target == Target::NewTree {
                    words.push("--force".into());
                }
            }
        }
        Self { words, role: subject.role() }
    }

    /// Makes the run an argument of another program.
    pub(crate) fn within<S: Into<OsString>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        let mut outer: Vec<OsString> = words.into_iter().map(Into::into).collect();
        outer.append(&mut self.words);
        Self { words: outer, ..self }
    }

    pub(crate) fn start(&self) -> std::io::Result<Running> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).env(ROLE, self.role);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let stderr = child.stderr.take();
        // NOTE: a pipe and not a file, whose size a limit would bound too.
        let messages = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.map(|mut stderr| stderr.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        Ok(Running { child, messages })
    }

    /// The run from its start to its end.
    pub(crate) fn finish(&self) -> std::io::Result<Ending> {
        self.start()?.end()
    }
}

/// A run that goes on.
pub(crate) struct Running {
    child: Child,
    messages: JoinHandle<String>,
}

impl Running {
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Sends a signal, also to who is dead already but not yet waited for.
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = kill_process(self.pid(), signal);
    }

    pub(crate) fn end(mut self) -> std::io::Result<Ending> {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if start.elapsed() > LONGEST {
                self.child.kill()?;
                return Err(std::io::Error::other("the run hangs"));
            }
            std::thread::sleep(Duration::from_micros(200));
        };
        Ok(Ending { status, messages: self.messages.join().unwrap_or_default() })
    }
}

/// How a run ended.
pub(crate) struct Ending {
    status: ExitStatus,
    messages: String,
}

impl Ending {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    /// Whether it had no chance to tidy up: SIGKILL, and SIGXFSZ where nobody asked to hear it.
    pub(crate) fn is_killed(&self) -> bool {
        let deadly = [Signal::KILL, Signal::XFSZ].map(Signal::as_raw);
        self.signal().is_some_and(|signal| deadly.contains(&signal))
    }

    pub(crate) fn describe(&self) -> String {
        format!("{}: {}", self.status, self.messages.trim_end())
    }
}
