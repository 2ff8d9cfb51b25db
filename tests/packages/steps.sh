# shellcheck shell=bash
# Functions of tests/test_packages.py in a root: as root, with PHP's version in $PHP.

SITE=/var/www/html
SOCKET=/run/leveret/test

apt_quiet() { apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" </dev/null; }

# apt_install PACKAGE...: those of /packages.
apt_install() {
    local package files=()
    for package; do files+=("/packages/${package}"_*.deb); done
    apt_quiet install "${files[@]}"
}
apt_install_files() { apt_quiet install "$@"; }
apt_remove() { apt_quiet remove "$@"; }
apt_purge() { apt_quiet purge "$@"; }

# The lists of packages are those of this root, because there is no network.
without_apt_update() {
    mkdir -p /tests/bin
    printf '#!/bin/sh\n[ "$1" = update ] || exec /usr/bin/apt-get "$@"\n' >/tests/bin/apt-get
    chmod +x /tests/bin/apt-get
    PATH=/tests/bin:$PATH
}

# Asks the php-fpm at port 9000, through nginx.
fpm_answers() {
    cat >"$SITE/fpm.php" <<'PHP'
<?php apcu_store('k', 'v'); echo 'page through fpm: ', apcu_fetch('k') === 'v' && extension_loaded('leveret') ? 'leveret' : 'other', ' in ', ini_get('leveret.dir'), "\n";
PHP
    cat >/etc/nginx/sites-enabled/default <<NGINX
server { listen 127.0.0.1:80; root $SITE; location ~ \.php\$ { include fastcgi_params; fastcgi_param SCRIPT_FILENAME \$document_root\$fastcgi_script_name; fastcgi_pass 127.0.0.1:9000; } }
NGINX
    nginx
    until curl -sSf http://127.0.0.1/fpm.php 2>/dev/null; do sleep 0.1; kill -0 "$FPM"; done
    echo "the command reads: $(leveret get --dir /cache --arena apcu k)"
    nginx -s stop
}

the_originals_go() { apt_quiet purge "php$PHP-apcu" "php$PHP-memcached" "php$PHP-memcache"; }

# older_packages PACKAGE...: the same with an older version's number, into /older.
older_packages() {
    local package
    mkdir -p /older
    for package; do
        rm -rf /tmp/older
        dpkg-deb -R "/packages/$package"_*.deb /tmp/older
        sed -i 's/^Version: .*/Version: 0.0.9/' /tmp/older/DEBIAN/control
        dpkg-deb -b /tmp/older "/older/${package}_0.0.9.deb" >/dev/null
    done
}

# Every file, but for what apt, dpkg and the machine's own accounts remember. The user stays, as Debian's do.
whats_there() {
    find / -xdev \( -path /tests -o -path /packages -o -path /older -o -path /tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache \
        -o -path /var/log -o -path /var/lib/php -o -path /var/lib/nginx -o -path /run -o -path "$SITE" \) -prune -o -print |
        grep -vE '^/etc/(passwd|group|shadow|gshadow)-?$|^/etc/\.pwd\.lock$|^/var/www$' | sort
    find /dev/shm -mindepth 1
}

# The unit's work, without systemd.
start_server() {
    local start
    install -d -o leveret -g leveret /run/leveret
    start=$(sed -n 's/^ExecStart=//p' "$(dpkg -L leveret | grep 'leveret.service$')")
    # shellcheck disable=SC2086
    (umask 0007; exec setpriv --reuid=leveret --regid=leveret --init-groups $start -s "$SOCKET" -a 777 --arena default) &
    SERVER=$!
    until leveret ping "$SOCKET" --quiet 2>/dev/null; do sleep 0.1; kill -0 "$SERVER"; done
}

restart_server() {
    kill "$SERVER"
    wait "$SERVER" || true
    start_server
}

start_site() {
    cp /tests/*.php "$SITE/"
    # As docs/how-to/share-a-cache.md has it, where the group is there.
    if getent group leveret >/dev/null; then usermod -aG leveret www-data; fi
    cat >/etc/nginx/sites-available/default <<NGINX
server {
    listen 127.0.0.1:80 default_server;
    root $SITE;
    location ~ \.php$ { include snippets/fastcgi-php.conf; fastcgi_pass unix:/run/php/php$PHP-fpm.sock; }
}
NGINX
    mkdir -p /run/php
    start_fpm
    nginx
}

# Whether the units are systemd's own.
is_systemd() { [ "$(cat /proc/1/comm)" = systemd ]; }

start_fpm() {
    local readies
    if is_systemd; then
        systemctl start "php$PHP-fpm"
        return
    fi
    readies=$(grep -c 'ready to handle' "/var/log/php$PHP-fpm.log" || true)
    "php-fpm$PHP" -D
    until [ "$(grep -c 'ready to handle' "/var/log/php$PHP-fpm.log" || true)" -gt "${readies:-0}" ]; do sleep 0.1; done
}

restart_site() {
    local master
    master=$(cat "/run/php/php$PHP-fpm.pid")
    kill "$master"
    while kill -0 "$master" 2>/dev/null; do sleep 0.1; done
    start_fpm
}

site_workers() { tr ' ' '\n' <"/proc/$(cat "/run/php/php$PHP-fpm.pid")/task/$(cat "/run/php/php$PHP-fpm.pid")/children" | sort -n | head -n 2 | tr '\n' ' '; }
site_log() { cat "/var/log/php$PHP-fpm.log"; }

stop_all() {
    kill "$(cat "/run/php/php$PHP-fpm.pid")" "$(cat /run/nginx.pid)" "$SERVER"
    wait "$SERVER" || true
    while [ -e "/run/php/php$PHP-fpm.pid" ] || [ -e /run/nginx.pid ]; do sleep 0.1; done
}

# Visits one after the other until visitors_end.
visitors() {
    (
        visits=0 failed=0
        trap 'echo "visits: $visits, failed: $failed"; exit 0' TERM
        while :; do
            visits=$((visits + 1))
            curl -sS http://127.0.0.1/page.php | grep -q 'cache=value server=value' || failed=$((failed + 1))
        done
    ) &
    VISITORS=$!
}
visitors_end() {
    kill "$VISITORS"
    wait "$VISITORS" || true
}

man_pages_and_completions() {
    local command
    test -s /usr/share/man/man1/leveret.1.gz
    for command in $(leveret --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\+\) .*/\1/p'); do
        zcat "/usr/share/man/man1/leveret-$command.1.gz" | grep -q "leveret.*$command"
    done
    bash -n /usr/share/bash-completion/completions/leveret
    test -s /usr/share/zsh/vendor-completions/_leveret
    test -s /usr/share/fish/vendor_completions.d/leveret.fish
}
