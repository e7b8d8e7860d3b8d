#!/bin/bash
# ci/make-lab.sh DIR: a Debian sid root in DIR with current SPIR-V tools. Needs root and apt.
set -euo pipefail
dir=${1:?usage: make-lab.sh DIR}
# The mirror this machine already uses; sid's Release file may be past its date on a mirror that is frozen.
mirror=$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
: "${mirror:=$(awk '/^deb /{print $2; exit}' /etc/apt/sources.list)}"
command -v mmdebstrap >/dev/null || { apt-get update -q && apt-get install -y -q --no-install-recommends mmdebstrap; }
mmdebstrap --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
  --include=spirv-tools sid "$dir" "$mirror"
