#!/bin/bash
# ci/in-lab.sh DIR CMD...: run CMD in the lab root DIR, in a private mount namespace in which /tmp and the working
# directory are the same as outside.
set -euo pipefail
dir=$1
shift
exec unshare -m --propagation private /bin/bash -c '
  dir=$1 pwd=$2; shift 2
  mkdir -p "$dir/tmp" "$dir$pwd"
  mount --bind /tmp "$dir/tmp"
  case $pwd in /tmp/*) ;; *) mount --bind "$pwd" "$dir$pwd" ;; esac
  exec chroot "$dir" /usr/bin/env -i -C "$pwd" PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 "$@"' in-lab "$dir" "$PWD" "$@"
