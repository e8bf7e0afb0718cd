"""The table of effects for tests: entries as effects-compile --json prints them, and what clang makes of the headers' declarations."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

READS, WRITES, ADDS = 1, 2, 4
NONE, RESULT, GLOBAL = 255, 254, 253
HOOKED, ENDS, TWICE, ERRNO, ALLOCATES, OUTSIDE, OPAQUE, PREFIX, HOOKED_MEMORY = (1 << i for i in range(9))
(BYTES, KERNEL, TEXT, NUMBER, SAME, SAME_CASE, SAME_BYTES, UNTIL, UNTIL_BYTES, WIDE_TEXT, LIST, TEXTS, IOVEC, FORMAT, SCAN, WIDE_FORMAT, WIDE_SCAN,
 WHOLE) = range(18)
ALWAYS, AT_LEAST, IS, NOT = range(4)

HEADERS = """aio aliases argp argz assert complex ctype dirent dlfcn envz err errno error execinfo fcntl fenv fmtmsg fnmatch fstab fts ftw
getopt glob gnu/libc-version grp gshadow iconv ifaddrs inttypes langinfo libgen libintl link locale malloc math mcheck mntent monetary mqueue
net/if netdb netinet/ether netinet/in nl_types obstack poll printf pthread pty pwd regex resolv sched search semaphore setjmp sgtty shadow
signal spawn stdio stdio_ext stdlib string strings sys/auxv sys/epoll sys/eventfd sys/fanotify sys/file sys/fsuid sys/gmon sys/inotify sys/io
sys/ioctl sys/ipc sys/klog sys/mman sys/mount sys/msg sys/personality sys/pidfd sys/poll sys/prctl sys/profil sys/ptrace sys/quota sys/random
sys/reboot sys/resource sys/select sys/sem sys/sendfile sys/shm sys/signalfd sys/socket sys/stat sys/statfs sys/statvfs sys/swap sys/syscall
sys/sysinfo sys/syslog sys/sysmacros sys/time sys/timeb sys/timerfd sys/times sys/timex sys/types sys/ucontext sys/uio sys/utsname sys/vlimit
sys/wait sys/xattr syslog termios threads time ttyent uchar ucontext ulimit unistd utime utmp utmpx wchar wctype wordexp arpa/inet zlib""".split()
INCLUDES = "#define _GNU_SOURCE 1\n#define __STDC_WANT_IEC_60559_EXT__ 1\n" + "".join(f"#include <{h}.h>\n" for h in HEADERS)


def load(path):
    """The entries of a file that effects-compile --json has written."""
    entries = [json.loads(line) for line in open(path)]
    for e in entries:
        e["type"] = e["type"] or None
        e["reason"] = e["reason"] or None
        e["declaration"] = re.sub(r"\s+", " ", e["declaration"])
    return entries


def clang(source, *options):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "x.c")
        file.write_text(source)
        return subprocess.run(["clang-19", "-std=gnu2x", "-w", "-ferror-limit=0", *options, str(file)], capture_output=True, text=True)


def declared(names):
    """Those of the names that the headers declare as functions."""
    source = INCLUDES + "".join(f"#undef {n}\nvoid *at_{i} = (void *){n};\n" for i, n in enumerate(names))
    out = clang(source, "-fsyntax-only").stderr
    unknown = set(re.findall(r"undeclared identifier '(\w+)'", out)) | set(re.findall(r"undeclared library function '(\w+)'", out))
    return [n for n in names if n not in unknown]


def declarations(names, *options):
    """What clang declares for them: symbol to (result, [arguments], text of the line)."""
    names = declared(names)
    source = INCLUDES + "".join(f"#undef {n}\nvoid *at_{i} = (void *){n};\n" for i, n in enumerate(names))
    run = clang(source, "-S", "-emit-llvm", "-o", "-", *options)
    if run.returncode:
        sys.exit(run.stderr[:4000])
    groups = dict(re.findall(r"^attributes (#\d+) = \{ (.*) \}$", run.stdout, re.M))
    found = {}
    for line in run.stdout.splitlines():
        m = re.match(r'declare (.*?)@"?(?:\\01)?([\w.]+)"?\((.*)\)(.*)$', line)
        if m:
            found[m[2]] = (m[1].strip(), split(m[3]), line + " " + " ".join(groups.get(g, "") for g in re.findall(r"#\d+", m[4])))
    return found


def split(arguments):
    out, depth, word = [], 0, ""
    for c in arguments:
        depth += c in "(<{[" and 1 or c in ")>}]" and -1
        if c == "," and depth == 0:
            out.append(word.strip())
            word = ""
        else:
            word += c
    return out + ([word.strip()] if word.strip() else [])


def letter(llvm):
    """Of the type that an argument or result of LLVM begins with, after its attributes."""
    words = re.sub(r"\b(dso_local|extern_weak|noundef|signext|zeroext|noalias|nonnull|nocapture|readonly|writeonly|readnone|returned|range\([^)]*\)|"
                   r"(align|dereferenceable|dereferenceable_or_null|sret|byval|inreg)(\([^)]*\)+)?( \d+)?)(?![\w])", "", llvm).split()
    for word in words:
        table = {"void": "v", "i32": "i", "i64": "l", "float": "f", "double": "d", "x86_fp80": "x", "ptr": "p"}
        return table.get(word, "?")
    return "?"


def letters(result, arguments):
    return letter(result) + "".join("..." if a == "..." else letter(a) for a in arguments)


class Tap:
    """Test results, one for each line."""

    def __init__(self):
        self.count = self.bad = 0

    def check(self, good, name, details=()):
        self.count += 1
        self.bad += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for line in details if not good else ():
            print(f"# {line}")

    def end(self):
        print(f"1..{self.count}")
        sys.exit(self.bad > 0)
