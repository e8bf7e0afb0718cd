# An image with Norn, and what it needs to build programs.   docker build -t norn . && docker run --rm -v "$PWD:/work" norn norn run ./prog
# The package is made in one stage, and installed in the next: tests/package/run --chroot does the same without Docker.
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends make git ca-certificates
COPY . /norn
WORKDIR /norn
RUN make deb

FROM debian:12
COPY --from=build /norn/norn_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/norn_*.deb make && rm -rf /tmp/norn_*.deb /var/lib/apt/lists/*
WORKDIR /work
CMD ["norn", "--help"]
