"""Real programs: how each is fetched (bench/fetch) and built by its own build system, with a compiler of the caller's choice."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "norn-bench"
JOBS = f"-j{os.cpu_count()}"


class BuildError(Exception):
    pass


class Compiler:
    """cc and cxx are commands, possibly of several words: CC="norn cc". wrapper names are for CMake, which wants one word."""

    def __init__(self, name, cc, cxx, flags="-O2 -g", ldflags="", cmake_cc=None, cmake_cxx=None):
        self.name, self.cc, self.cxx, self.flags, self.ldflags = name, cc, cxx, flags, ldflags
        self.cmake_cc, self.cmake_cxx = cmake_cc or cc, cmake_cxx or cxx

    def environment(self):
        return dict(os.environ, CC=self.cc, CXX=self.cxx, CFLAGS=self.flags, CXXFLAGS=self.flags, LDFLAGS=self.ldflags)

    def variables(self):
        """The same for `make`, whose makefiles set them themselves."""
        return [f"CC={self.cc}", f"CXX={self.cxx}", f"CFLAGS={self.flags}", f"CXXFLAGS={self.flags}", f"LDFLAGS={self.ldflags}"]


def plain():
    return Compiler("plain", "clang-19", "clang++-19")


def tsan():
    return Compiler("tsan", "clang-19", "clang++-19", "-O2 -g -fsanitize=thread", "-fsanitize=thread")


def norn():
    command = norn_command()
    directory = command.parent
    wrappers = {}
    for wrapper in ("norn-cc", "norn-c++"):
        wrappers[wrapper] = str(directory / wrapper) if (directory / wrapper).exists() else None
    return Compiler("norn", f"{command} cc", f"{command} c++", cmake_cc=wrappers["norn-cc"], cmake_cxx=wrappers["norn-c++"])


def norn_command():
    command = Path(os.environ.get("NORN") or BENCH.parent / "build" / "norn").resolve()
    if not command.exists():
        sys.exit(f"bench: {command} does not exist: run make first, or set NORN")
    return command


def revision():
    """Of the Norn that is measured: its build tree stands in a checkout, an installed one only has a version."""
    for command in (["git", "-C", norn_command().parent, "describe", "--always", "--dirty"], [norn_command(), "--version"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if done.returncode == 0 and done.stdout:
            return done.stdout.splitlines()[0]
    return "unknown"


def require(*packages):
    """Installs what is missing of these Debian packages and of those that fetching and building take, or says how to."""
    wanted = ["dpkg-dev", "make", "zlib1g-dev", "liblzma-dev", *packages]
    query = ["dpkg-query", "-W", "-f", "${Package} ${Status}\n", *wanted]
    known = subprocess.run(query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    present = {line.split()[0] for line in known.stdout.splitlines() if line.endswith("ok installed")}
    missing = [package for package in wanted if package not in present]
    if missing:
        command = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
        if os.geteuid() or subprocess.run(command, stdout=sys.stderr).returncode:
            sys.exit(f"bench: packages are missing: {shlex.join(command)}")


def fetch(package):
    """The directory of the package's sources, and its name with version."""
    done = subprocess.run([BENCH / "fetch", package], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise BuildError(f"{package} could not be fetched")
    tree = Path(done.stdout.strip())
    return tree, (tree.parent / "tree.name").read_text().strip()


def run(tree, compiler, *command, log):
    log.write(f"\n$ cd {tree} && {shlex.join(map(str, command))}\n".encode())
    log.flush()
    done = subprocess.run(command, cwd=tree, env=compiler.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    if done.returncode:
        raise BuildError(f"{shlex.join(map(str, command))} failed: see {log.name}")


def make(tree, compiler, *arguments, log):
    run(tree, compiler, "make", JOBS, *arguments, log=log)


def build_pigz(tree, compiler, log):
    # pigz has one variable for all flags of compiling and takes LDFLAGS from the environment.
    make(tree, compiler, "pigz", f"CC={compiler.cc}", f"CFLAGS={compiler.flags}", f"LDFLAGS={compiler.ldflags}", log=log)
    return {"pigz": tree / "pigz"}


def build_zstd(tree, compiler, log):
    make(tree, compiler, "-C", "programs", "zstd", *compiler.variables(), log=log)
    return {"zstd": tree / "programs" / "zstd"}


def build_pzstd(tree, compiler, log):
    flags = compiler.flags + " -std=c++11"
    make(tree, compiler, "-C", "contrib/pzstd", "pzstd", *compiler.variables(), f"CXXFLAGS={flags}", log=log)
    return {"pzstd": tree / "contrib" / "pzstd" / "pzstd"}


def build_lbzip2(tree, compiler, log):
    # The gnulib that upstream shipped in 2014 looks for names that glibc dropped in 2.28; Debian patches it, the tarball needs help.
    defines = "-D_IO_ftrylockfile -D_IO_ERR_SEEN=0x20 -D_IO_IN_BACKUP=0x100"
    run(tree, compiler, "./configure", f"CPPFLAGS={defines}", log=log)
    make(tree, compiler, log=log)
    return {"lbzip2": tree / "src" / "lbzip2"}


def build_plzip(tree, compiler, log):
    # Not Autoconf's configure: it takes its variables as arguments only.
    arguments = [f"CXX={compiler.cxx}", f"CXXFLAGS={compiler.flags}", f"LDFLAGS={compiler.ldflags}"]
    run(tree, compiler, "./configure", *arguments, log=log)
    make(tree, compiler, log=log)
    return {"plzip": tree / "plzip"}


def build_memcached(tree, compiler, log):
    run(tree, compiler, "./configure", log=log)
    make(tree, compiler, "memcached", log=log)
    return {"memcached": tree / "memcached"}


def build_redis(tree, compiler, log):
    arguments = ["MALLOC=libc", f"CC={compiler.cc}", f"CXX={compiler.cxx}", "OPTIMIZATION=-O2", f"REDIS_LDFLAGS={compiler.ldflags}"]
    make(tree, compiler, "-C", "src", "redis-server", "redis-cli", "redis-benchmark", *arguments, log=log)
    return {name: tree / "src" / name for name in ("redis-server", "redis-cli", "redis-benchmark")}


def build_nng(tree, compiler, log):
    build = tree / "build"
    build.mkdir(exist_ok=True)
    cmake = ["cmake", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_COMPILER={compiler.cmake_cc}"]
    run(build, compiler, *cmake, f"-DCMAKE_CXX_COMPILER={compiler.cmake_cxx}", "..", log=log)
    make(build, compiler, log=log)
    return {"build": build}


# name: Debian source package, recipe
PROGRAMS = {
    "pigz": ("pigz", build_pigz),
    "zstd": ("libzstd", build_zstd),
    "pzstd": ("libzstd", build_pzstd),
    "lbzip2": ("lbzip2", build_lbzip2),
    "plzip": ("plzip", build_plzip),
    "memcached": ("memcached", build_memcached),
    "redis": ("redis", build_redis),
    "nng": ("nng", build_nng),
}


def build(program, compiler, place=None):
    """Builds a program in a fresh copy of its sources, below place; returns its files and the package's name. Without a place the
    cache is one, and an earlier build there serves."""
    package, recipe = PROGRAMS[program]
    source, name = fetch(package)
    tree = (place or CACHE / "build") / compiler.name / program
    done = tree.with_suffix(".done")
    if done.exists() and not place:
        files = dict(line.split("\t") for line in done.read_text().splitlines())
        return {key: Path(value) for key, value in files.items()}, name
    done.unlink(missing_ok=True)
    shutil.rmtree(tree, ignore_errors=True)
    tree.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, tree, symlinks=True)
    with open(tree.with_suffix(".log"), "wb") as log:
        files = recipe(tree, compiler, log)
    done.write_text("".join(f"{key}\t{value}\n" for key, value in files.items()))
    return files, name


def corpus(megabytes):
    """A file of text and binaries to compress: this machine's own, the same bytes each time on one machine."""
    path = CACHE / f"corpus-{megabytes}m"
    if not path.exists():
        want = megabytes << 20
        sources = sorted(Path("/usr/lib/x86_64-linux-gnu").glob("lib*.so.*")) + sorted(Path("/usr/share/doc").glob("*/copyright"))
        CACHE.mkdir(parents=True, exist_ok=True)
        with open(path.with_suffix(".new"), "wb") as to:
            for a, b in zip(sources, reversed(sources)):
                for source in (a, b):
                    if to.tell() < want and source.is_file():
                        to.write(source.read_bytes()[: min(1 << 20, want - to.tell())])
        path.with_suffix(".new").rename(path)
    return path
