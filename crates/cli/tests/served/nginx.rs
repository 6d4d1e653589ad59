//! An nginx of the system that serves folders on 127.0.0.1, each as a host of its own.
//!
//! Its only configuration is made here, its files are in a folder of the test, and it ends with
//! the test, even if that is killed.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::case::Checked;

/// The program by its name, and where it is if the path of a user without rights lacks it.
const PROGRAMS: &[&str] = &["nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx"];
/// How long nginx may take to start, and to answer, on a machine with other things to do.
const PATIENCE: Duration = Duration::from_secs(30);
/// Another program may take the port between its choice and the start.
const ATTEMPTS: usize = 5;
/// Modules with files on disk, named like `--without-http_…_module`; their compiled-in folders
/// belong to another user.
const MODULES: &[&str] = &["proxy", "fastcgi", "uwsgi", "scgi"];

/// A folder that is served.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
    /// The names of index pages, with spaces between.
    pub(crate) index: String,
    pub(crate) pages: Pages,
}

/// Whether a page is served without its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    ByName,
    Extensionless,
}

/// Why there is no nginx.
pub(crate) fn no_nginx() -> Option<String> {
    program().is_none().then(|| "nginx is not installed".to_owned())
}

/// The program, and the options that it was built with.
fn program() -> Option<(&'static str, String)> {
    PROGRAMS.iter().find_map(|&name| {
        let output = Command::new(name).arg("-V").stdin(Stdio::null()).output().ok()?;
        let options = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.success().then_some((name, options))
    })
}

/// A running nginx.
#[derive(Debug)]
pub(crate) struct Nginx {
    shell: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Nginx {
    /// Serves the hosts.
    ///
    /// # Errors
    ///
    /// If nginx refuses the configuration, or does not answer; with what it wrote.
    pub(crate) fn start(hosts: &[Host]) -> Checked<Self> {
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            match Self::try_start(hosts) {
                Ok(nginx) => return Ok(nginx),
                Err(why) => last = why,
            }
        }
        Err(last)
    }

    fn try_start(hosts: &[Host]) -> Checked<Self> {
        let failed = |error: std::io::Error| error.to_string();
        let (program, options) = program().ok_or("nginx is not installed")?;
        let folder = tempfile::tempdir().map_err(failed)?;
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        drop(listener);
        let configuration = configuration(folder.path(), address, &options, hosts);
        fs::write(folder.path().join("nginx.conf"), configuration).map_err(failed)?;
        let log = folder.path().join("error.log");
        let mut shell = Command::new("sh");
        // The shell waits for the end of its input, which comes with the end of the test.
        shell.args(["-c", "\"$@\" & cat; kill $!; wait $!", "sh", program]);
        shell.arg("-p").arg(folder.path()).arg("-e").arg(&log).args(["-c", "nginx.conf"]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let shell = shell.spawn().map_err(failed)?;
        let mut nginx = Self { shell, address, _folder: folder };
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            let errors = fs::read_to_string(&log).unwrap_or_default();
            let has_ended = nginx.shell.try_wait().map_err(failed)?.is_some();
            if has_ended || errors.contains("[emerg]") || start.elapsed() > PATIENCE {
                return Err(format!("nginx does not start: {errors}"));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(nginx)
    }

    /// The status and `Location` of the answer to a request for a path with its query.
    pub(crate) fn head(&self, host: &str, path: &str) -> Checked<(u16, Option<String>)> {
        let failed = |error: std::io::Error| format!("{host}{path}: {error}");
        let mut stream = TcpStream::connect(self.address).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        write!(stream, "HEAD {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").map_err(failed)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(failed)?;
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| format!("{host}{path}: {answer}"))?;
        let location = answer.lines().find_map(|line| line.strip_prefix("Location: "));
        Ok((status, location.map(str::to_owned)))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// Configures the server that [`Profile`](absolve_site::Profile) assumes: index pages, no listing,
/// a slash where a folder lacks it, names by case, merged slashes. These are defaults of nginx,
/// except the names of index pages.
fn configuration(folder: &Path, address: SocketAddr, options: &str, hosts: &[Host]) -> String {
    let folder = folder.display();
    let mut text = format!(
        "daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/error.log crit;\n\
         events {{}}\nhttp {{\naccess_log off;\nabsolute_redirect off;\n\
         server_names_hash_bucket_size 256;\nserver_names_hash_max_size 8192;\n\
         client_body_temp_path {folder}/body;\n"
    );
    let is_built_in =
        |module: &&&str| !options.contains(&format!("--without-http_{module}_module"));
    let paths = MODULES.iter().filter(is_built_in);
    text.extend(paths.map(|module| format!("{module}_temp_path {folder}/{module};\n")));
    text.extend(hosts.iter().map(|Host { name, root, index, pages }| {
        let root = root.display();
        let location = match pages {
            Pages::ByName => "",
            // The file, the page, else what nginx does without this.
            Pages::Extensionless => {
                "location / { try_files $uri $uri.html @other; }\nlocation @other {}\n"
            }
        };
        format!(
            "server {{\nlisten {address};\nserver_name {name};\nroot {root};\nindex {index};\n\
             {location}}}\n"
        )
    }));
    text + "}\n"
}
