<?php
/* Debian's WordPress, unmodified, on MariaDB, with the drop-in of the plugin redis-cache as its object cache. Who includes it has fail(). */
const POSTS = 20;

/** A folder that an environment variable names. */
function folder_of(string $variable, string $file, string $what): string
{
    $folder = (string) getenv($variable);
    is_file("$folder/$file") || fail("$variable names no folder with $file: $what");
    return $folder;
}

/** A MariaDB server on a Unix socket. It ends with this process. */
final class MariaDb
{
    /** @var resource */
    private $process;

    /** `$data`: made by `make()`. */
    public function __construct(string $data, private readonly string $socket)
    {
        $this->process = self::start($data, ['--socket', $socket, '--skip-networking', '--skip-grant-tables', '--innodb-buffer-pool-size=32M', '--performance-schema=off'],
            ['file', '/dev/null', 'r']);
        for ($tries = 0; @stream_socket_client("unix://$socket") === false; $tries++) {
            $status = proc_get_status($this->process);
            $status['running'] || fail("mariadbd has ended: " . file_get_contents("$data.log"));
            $tries < 3000 || fail('mariadbd does not listen');
            usleep(10_000);
        }
    }

    private static function start(string $data, array $words, array $input)
    {
        $root = (string) getenv('LEVERET_MARIADB');
        $program = "$root/usr/sbin/mariadbd";
        is_executable($program) || fail("there is no $program: LEVERET_MARIADB names a folder in which Debian's mariadb-server-core is unpacked");
        $libraries = implode(':', glob("$root/usr/lib/*-linux-gnu*"));
        $user = fileowner('/proc/self') === 0 ? ['--user=root'] : [];
        $command = ['setpriv', '--pdeathsig', 'KILL', '--', $program, '--no-defaults', "--datadir=$data", "--lc-messages-dir=$root/usr/share/mysql",
            "--character-sets-dir=$root/usr/share/mysql/charsets", '--innodb-log-file-size=8M', ...$user, ...$words];
        $log = ['file', "$data.log", 'a'];
        $environment = ['LD_LIBRARY_PATH' => "$libraries:" . getenv('LD_LIBRARY_PATH')] + getenv();
        return proc_open($command, [$input, $log, $log], $pipes, null, $environment) ?: fail('mariadbd does not start');
    }

    /** An empty database `wordpress` in a new folder. */
    public static function make(string $data): void
    {
        mkdir($data, 0700);
        $share = getenv('LEVERET_MARIADB') . '/usr/share/mysql';
        $tables = "CREATE DATABASE mysql;\nUSE mysql;\n";
        foreach (['mysql_system_tables', 'mysql_performance_tables', 'mysql_system_tables_data'] as $file) {
            $tables .= file_get_contents("$share/$file.sql") . "\n";
        }
        file_put_contents("$data.sql", "{$tables}CREATE DATABASE wordpress CHARACTER SET utf8mb4;\n");
        proc_close(self::start($data, ['--bootstrap'], ['file', "$data.sql", 'r'])) === 0 || fail('MariaDB made no database: ' . file_get_contents("$data.log"));
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }
}

/** Words by which PHP loads what WordPress needs and this PHP has not loaded. */
function wordpress_modules(): array
{
    $words = [];
    $unpacked = (string) getenv('LEVERET_MARIADB') . ini_get('extension_dir');
    foreach (['mysqlnd', 'mysqli', 'mbstring', 'dom', 'xml', 'simplexml', 'ctype', 'iconv', 'tokenizer', 'posix', 'exif', 'fileinfo'] as $name) {
        if (extension_loaded($name)) {
            continue;
        }
        $place = is_file("$unpacked/$name.so") ? "$unpacked/$name.so" : $name;
        is_file(ini_get('extension_dir') . "/$name.so") || $place !== $name || fail("PHP has no extension $name: the first two are in Debian's php-mysql");
        array_push($words, '-d', "extension=$place");
    }
    return $words;
}

/** A folder with links to the files of the WordPress package. The last lines of its wp-config.php set the cache. */
function wordpress_site(string $folder, string $database, string $lines): array
{
    $package = folder_of('LEVERET_WORDPRESS', 'wp-settings.php', "Debian's package wordpress");
    $themes = folder_of('LEVERET_WORDPRESS_THEMES', 'twentytwentyone/style.css', "Debian's package wordpress-theme-twentytwentyone");
    mkdir("$folder/wp-content/themes", 0700, true);
    mkdir("$folder/wp-content/plugins");
    symlink("$themes/twentytwentyone", "$folder/wp-content/themes/twentytwentyone");
    foreach (array_diff(scandir($package), ['.', '..', 'wp-content', 'wp-config.php']) as $name) {
        symlink("$package/$name", "$folder/$name");
    }
    $keys = implode('', array_map(fn (string $name): string => "define('$name', '" . md5($name) . "');\n",
        ['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT']));
    file_put_contents("$folder/wp-config.php", "<?php\ndefine('DB_NAME', 'wordpress');\ndefine('DB_USER', 'root');\ndefine('DB_PASSWORD', '');\n"
        . "define('DB_HOST', 'localhost:$database');\n{$keys}define('WP_CONTENT_DIR', '$folder/wp-content');\ndefine('DISABLE_WP_CRON', true);\n"
        . "define('WP_HTTP_BLOCK_EXTERNAL', true);\ndefine('AUTOMATIC_UPDATER_DISABLED', true);\n\$table_prefix = 'wp_';\n{$lines}require_once ABSPATH . 'wp-settings.php';\n");
    // The package's files find its own folder by themselves; this comes before them.
    file_put_contents("$folder/before.php", "<?php\ndefine('ABSPATH', '$folder/');\n");
    return ['-d', "auto_prepend_file=$folder/before.php"];
}

/** A site with posts, tags and comments, without a cache, in a new folder: the database in `data` is what is copied. */
function install_wordpress(string $folder): void
{
    mkdir($folder, 0700);
    MariaDb::make("$folder/data");
    $database = new MariaDb("$folder/data", "$folder/mysql");
    $site = "$folder/site";
    mkdir($site, 0700);
    $words = wordpress_site($site, "$folder/mysql", '');
    file_put_contents("$site/install.php", '<?php
        define("WP_INSTALLING", true);
        $_SERVER += ["HTTP_HOST" => "localhost", "SERVER_PROTOCOL" => "HTTP/1.1", "REQUEST_METHOD" => "GET"];
        require ABSPATH . "wp-load.php";
        require ABSPATH . "wp-admin/includes/upgrade.php";
        function wp_mail() { return true; }
        wp_install("Site", "admin", "admin@localhost.invalid", true, "", bin2hex(random_bytes(16)));
        update_option("siteurl", "http://localhost"); update_option("home", "http://localhost"); update_option("show_avatars", 0); // their servers are drawn
        switch_theme("twentytwentyone");
        for ($i = 0; $i < ' . POSTS . '; $i++) {
            $text = "";
            for ($p = 0; $p < 12; $p++) { $text .= "<!-- wp:paragraph --><p>Paragraph $p of <a href=\"http://localhost/?p=$i\">post $i</a> says <em>something</em>.</p><!-- /wp:paragraph -->\n"; }
            $id = wp_insert_post(["post_title" => "Post $i", "post_content" => $text, "post_status" => "publish", "post_author" => 1, "tags_input" => ["tag " . $i % 5, "tag " . $i % 7],
                "post_date" => sprintf("2026-01-%02d 12:00:00", $i + 1)], true);
            if (!is_int($id)) { exit("no post"); }
            for ($c = 0; $c < 5; $c++) { wp_insert_comment(["comment_post_ID" => $id, "comment_author" => "Reader $c", "comment_content" => "Comment $c on post $i", "comment_date" => "2026-02-01 12:00:00"]); }
            $ids[] = $id;
        }
        echo json_encode($ids);');
    $command = [PHP_BINARY, '-n', '-d', 'memory_limit=-1', ...wordpress_modules(), ...$words, "$site/install.php"];
    exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $said);
    $ids = json_decode(end($said) ?: '', true);
    is_array($ids) && count($ids) === POSTS || fail('WordPress does not install: ' . implode("\n", $said));
    $database->stop();
    file_put_contents("$folder/posts", json_encode($ids));
}

/** The pages of one copy of the site, whose object cache is the class Redis of this side. */
final class WordPressPages
{
    private readonly Site $site;
    private readonly MariaDb $database;
    private readonly array $pages;
    private readonly string $redis;
    private ?int $hits = null;
    private int $asked = 0;
    private ?string $said = null;

    public function __construct(array $given)
    {
        [$this->redis] = $given['servers'][0];
        $wordpress = dirname(getcwd(), 2) . '/wordpress';
        if (!is_file("$wordpress/posts")) {
            exec('rm -rf ' . escapeshellarg($wordpress));
            install_wordpress($wordpress);
        }
        $folder = getcwd() . '/site';
        mkdir($folder, 0700);
        exec('cp -r ' . escapeshellarg("$wordpress/data") . ' ' . escapeshellarg(getcwd() . '/data'), $none, $status);
        $status === 0 || fail('there is no room for a copy of the database');
        $socket = getcwd() . '/mysql';
        $this->database = new MariaDb(getcwd() . '/data', $socket);
        $lines = "define('WP_REDIS_SCHEME', 'unix');\ndefine('WP_REDIS_PATH', '$this->redis');\ndefine('WP_REDIS_CLIENT', 'phpredis');\ndefine('WP_REDIS_DISABLE_METRICS', true);\n";
        $words = wordpress_site($folder, $socket, $lines);
        $plugin = folder_of('LEVERET_REDIS_CACHE', 'includes/object-cache.php', 'the WordPress plugin redis-cache, unpacked');
        symlink($plugin, "$folder/wp-content/plugins/redis-cache");
        copy("$plugin/includes/object-cache.php", "$folder/wp-content/object-cache.php");
        $this->site = new Site($folder, $folder, [], [...wordpress_modules(), ...$words], []);
        $this->pages = array_map(fn (int $id): string => "?p=$id", json_decode(file_get_contents("$wordpress/posts")));
        for ($pass = 0; $pass < WARM_UPS; $pass++) {
            array_map($this->site->page(...), $this->pages);
        }
        if ($given['size']['is_mapped'] ?? false) {
            $this->site->maps('/server/bench') || fail("our PHP does not map the server's arena, so all went over the socket");
        }
    }

    public function measure(int $piece): array
    {
        if ($piece === 0) {
            $this->check_hits();
        }
        $this->asked++;
        $number = $piece % count($this->pages);
        [$body, $seconds, $cpu] = $this->site->page($this->pages[$number]);
        $is_right = str_contains($body, "Paragraph 11 of") && str_contains($body, "Comment 4 on post $number") && str_ends_with(rtrim($body), '</html>');
        return ['figure' => $seconds, 'client_cpu' => $cpu, 'asked' => 1, 'right' => (int) $is_right, 'same' => md5($body), 'said' => $this->said];
    }

    /** Once a round: whether the object cache has answered anything since. */
    private function check_hits(): void
    {
        $stream = stream_socket_client("unix://$this->redis") ?: fail('the server has ended');
        fwrite($stream, "INFO stats\r\nQUIT\r\n");
        preg_match('/keyspace_hits:(\d+)/', stream_get_contents($stream), $found) || fail('the server tells no hits');
        $hits = (int) $found[1];
        if ($this->hits !== null && $this->asked > 0) {
            $of_page = round(($hits - $this->hits) / $this->asked);
            $of_page > 0 || fail('its object cache answered no read');
            $this->said = "$of_page reads of a page were answered by its object cache";
        }
        [$this->hits, $this->asked] = [$hits, 0];
    }

    public function count(): array
    {
        fail('nothing is counted of WordPress');
    }
}
