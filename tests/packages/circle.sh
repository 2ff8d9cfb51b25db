# shellcheck shell=bash
# Functions of tests/test_circle.py in a root: systemd's part for the units of a site without systemd, and visitors. Needs steps.sh.

# act_as_systemd: units are started and stopped for the commands of the pages and for the scripts of packages, by programs of their names.
act_as_systemd() {
    mkdir -p /run/systemd/system
    install -d -m 1777 /tests/pids
    # Where apt looks for them (DPkg::Path).
    rm -f /usr/bin/systemctl /usr/sbin/invoke-rc.d
    cat >/usr/bin/systemctl <<'SHELL'
#!/bin/bash
set -euo pipefail
PHP=$(cat /tests/php)
. /tests/steps.sh
. /tests/circle.sh
act_on_units "$@"
SHELL
    # Debian's scripts ask by this name.
    # shellcheck disable=SC2016 # They are the script's own.
    printf '#!/bin/sh\nexec systemctl "$2" "$1"\n' >/usr/sbin/invoke-rc.d
    chmod +x /usr/bin/systemctl /usr/sbin/invoke-rc.d
    echo "$PHP" >/tests/php
    hash -r
}

# act_on_units VERB UNIT...: the used words of systemctl. /tests/units has the actions.
act_on_units() {
    local words=() word verb unit
    for word; do
        case $word in
            --now) words[0]+=--now ;;
            -*) ;;
            *) words+=("${word%.service}") ;;
        esac
    done
    verb=${words[0]}
    echo "${words[*]}" >>/tests/units
    for unit in "${words[@]:1}"; do
        case $verb in
            enable--now | start) is_active "$unit" || start_unit "$unit" ;;
            disable--now | stop) ! is_active "$unit" || stop_unit "$unit" ;;
            restart) ! is_active "$unit" || stop_unit "$unit"; start_unit "$unit" ;;
            # If a test has declared the server failed.
            list-units) [ "$unit" != leveret ] || [ ! -e /tests/failed ] || is_active leveret || echo "leveret.service loaded failed failed Leveret" ;;
            try-restart) ! is_active "$unit" || { stop_unit "$unit" && start_unit "$unit"; } ;;
        esac
    done
}

# unit_pid UNIT: the pid of its main process; nothing if it does not run.
unit_pid() {
    if is_systemd; then systemctl show -P MainPID "$1" | grep -vx 0 || true; else cat "$(pid_file "$1")"; fi
}

pid_file() { if [[ $1 = php* ]]; then echo "/run/php/$1.pid"; else echo "/tests/pids/$1.pid"; fi; }

# until_true COMMAND...: asks again, for at most half a minute.
until_true() {
    local turn
    for ((turn = 0; turn < 600; turn++)); do
        ! "$@" 2>/dev/null || return 0
        sleep 0.05
    done
    echo "in vain: $*" >&2
    return 1
}

is_open() { : </dev/tcp/127.0.0.1/11211; }
has_ended() { ! kill -0 "$1"; }

is_active() {
    local file
    if is_systemd; then
        systemctl --quiet is-active "$1"
        return
    fi
    file=$(pid_file "$1")
    [ -e "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null
}

stop_unit() {
    local pid
    pid=$(cat "$(pid_file "$1")")
    kill "$pid"
    until_true has_ended "$pid"
}

start_unit() {
    local start
    case $1 in
        php*) start_fpm ;;
        memcached)
            memcached -d -u memcache -l 127.0.0.1 -P "$(pid_file memcached)" </dev/null >/dev/null 2>&1
            until_true is_active memcached
            until_true is_open
            ;;
        leveret)
            install -d -o leveret -g leveret /run/leveret
            start=$(sed -n 's/^ExecStart=//p' "$(dpkg -L leveret | grep '/leveret.service$')")
            # shellcheck disable=SC2016,SC2086
            setsid bash -c 'umask 0007; echo $$ >"$1"; shift; exec setpriv --reuid=leveret --regid=leveret --init-groups "$@"' - \
                "$(pid_file leveret)" $start </dev/null >/tests/leveret.log 2>&1 &
            until_true leveret ping 127.0.0.1:11211 --quiet
            ;;
        *) ;;
    esac
}

# Visitors, one after the other, until circle_visitors_end. While php-fpm is being restarted nginx answers 502, or closes: that is counted apart.
circle_visitors() {
    (
        ok=0 restarts=0 failed=0
        trap 'echo "visits: $ok, during restarts: $restarts, failed: $failed"; exit 0' TERM
        while :; do
            status=$(curl -s -o /tests/last -w '%{http_code}' http://127.0.0.1/circle.php || true)
            case $status in
                200) ok=$((ok + 1)) ;;
                502 | 000) restarts=$((restarts + 1)) ;;
                *) failed=$((failed + 1)) && cat /tests/last ;;
            esac
        done
    ) &
    # shellcheck disable=SC2034 # The test ends them.
    VISITORS=$!
}

# circle_server HOST PORT: in the application's configuration, which is never half there.
circle_server() {
    printf "<?php\nreturn ['%s', %s]; // memcached\n" "$@" >"$SITE/.circle-server"
    mv "$SITE/.circle-server" "$SITE/circle-server.php"
}

# Traces of our module in PHP's own tools.
module_state() { find /var/lib/php/modules /etc/php -name '*leveret*'; }

# All that packages may change. The accounts stay, as Debian's do; mandb and deb-systemd-helper keep files of their own.
whats_installed() {
    find /etc /usr -xdev -print | grep -vE '^/etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$|^/etc/\.pwd\.lock$|__pycache__' | sort
    find /dev/shm -mindepth 1
}

# doctor: as the user $AS, with the options $DOCTOR, where these are set.
doctor() {
    # shellcheck disable=SC2086 # They are words.
    ${AS:+runuser -u "$AS" --} leveret doctor ${DOCTOR:-} --json || true
}

# findings: those of doctor that are not "ok", one a line: level, subject, what was found.
findings() {
    doctor | python3 -c '
import json, sys
for line in map(json.loads, sys.stdin):
    if line["level"] != "ok":
        print(line["level"], line["subject"], line["found"])
'
}

# ill TITLE LEVEL WORD: doctor has one finding, of this level and with this word in it; its command fixes it.
ill() {
    local found
    found=$(findings)
    if [ "$(wc -l <<<"$found")" != 1 ] || [[ $found != "$2 "*"$3"* ]]; then
        printf 'NOT SO, %s: %s\n' "$1" "$found"
        return
    fi
    fix "$2" "$3"
    found=$(findings)
    if [ -n "$found" ]; then printf 'STILL THERE, %s: %s\n' "$1" "$found"; else echo "ended: $1"; fi
}

# ends TITLE LEVEL WORD: the same beside other findings: this one exists, and its command fixes it.
ends() {
    local found
    found=$(findings)
    if [[ $found != *"$2 "*"$3"* ]]; then
        printf 'NOT SO, %s: %s\n' "$1" "$found"
        return
    fi
    fix "$2" "$3"
    found=$(findings)
    if [[ $found = *"$3"* ]]; then printf 'STILL THERE, %s: %s\n' "$1" "$found"; else echo "ended: $1"; fi
}

# fix LEVEL WORD: runs doctor's command for the finding of this level with this word in it. The command is at the end of a sentence.
fix() {
    local mend
    mend=$(doctor | python3 -c '
import json, sys
for line in map(json.loads, sys.stdin):
    if line["level"] == sys.argv[1] and sys.argv[2] in line["found"]:
        mend = line["fix"]
        print(mend.rsplit(": ", 1)[-1] if mend[0].isupper() else mend)
        break
' "$1" "$2")
    echo "fix: $mend"
    [ -n "$mend" ]
    # Limits are those of this shell.
    if [[ $mend = ulimit\ * ]]; then eval "$mend"; else bash -euc "$mend"; fi
}
