<?php
/*
 * One site as a process that lives through all rounds of a row: php worker.php SIDE
 *
 * Each side has its own copy of the wiki or of WordPress. One php-cgi serves it by FastCGI, as a php-fpm worker would, with the settings
 * of this process. No web server is part of the measurement. It reads one JSON command a line and
 * answers each with one JSON line:
 *   {"do": "prepare", "workload": PAGES, "size": {...}, "servers": [...]}   copies the wiki, and asks for each page until it is warm
 *   {"do": "measure", "piece": N}                                           one page; "same" has to be what the other sides say
 *   {"do": "count"}                                                         pages under callgrind, whose files are the answer
 */
function fail(string $why): never
{
    fwrite(STDERR, "bench: $why\n");
    exit(70);
}

require __DIR__ . '/fastcgi.php';
require __DIR__ . '/site.php';
// The wiki of the chart `pages`.
require dirname(__DIR__, 3) . '/leveret-cli/src/commands/bench/charts/wiki.php';
require __DIR__ . '/wordpress.php';

const WARM_UPS = 3;
const COUNTED = 3;

/** What is asked for: all articles, or the list of all modules again and again. */
function pages(string $workload): array
{
    return match ($workload) {
        'views' => array_map(fn (int $number): string => "index.php?title=Article_$number", range(0, ARTICLES - 1)),
        'startup' => ['load.php?lang=en&modules=startup&only=scripts&raw=1&skin=vector'],
    };
}

final class Pages
{
    private readonly array $pages;
    private readonly Site $site;
    private ?int $hits = null;
    private int $asked = 0;
    private ?string $said = null;

    public function __construct(private readonly string $side, array $given)
    {
        $this->pages = pages($given['workload']);
        $this->lines = ($given['size']['parsed_anew'] ?? false) ? "\$wgParserCacheType = CACHE_NONE;\n" : '';
        [$this->host, $this->port] = $given['servers'][0] ?? ['', 0];
        if ($given['size']['is_served'] ?? true) {
            $this->site = $this->site('site', []);
            $this->warm($this->site, $this->pages);
            // Hits cannot tell the short cut from the socket: the server counts both.
            if ($given['size']['is_mapped'] ?? false) {
                $this->site->maps('/bench0.arena') || fail("our PHP does not map the server's arena, so all went over the socket");
            }
        }
    }

    private readonly string $lines;
    private readonly string $host;
    private readonly int $port;

    /** A copy of the wiki, whose main cache is this side's, in a PHP of its own. */
    private function site(string $name, array $under): Site
    {
        $wiki = dirname(getcwd(), 2) . '/mediawiki-' . md5(mediawiki());
        install_once(modules(), mediawiki(), $wiki, ARTICLES);
        $folder = getcwd() . "/$name";
        mkdir($folder, 0700);
        copy_wiki($wiki, $folder);
        // Without a server it is APCu, or what stands in its place. Jobs are left to cron, and what differs from parse to parse is left out.
        $cache = $this->host === '' ? "\$wgMainCacheType = CACHE_ACCEL;\n"
            : "\$wgMainCacheType = 'memcached-pecl';\n\$wgMemCachedServers = ['" . ($this->port ? "$this->host:$this->port" : $this->host) . "'];\n";
        $settings = settings($wiki, $folder, "\$wgJobRunRate = 0;\n\$wgEnableSidebarCache = true;\n\$wgEnableParserLimitReporting = false;\n$cache$this->lines");
        return new Site($folder, mediawiki(), ['MW_CONFIG_FILE' => $settings], modules(), $under);
    }

    /** Each page often enough that OPcache and the caches have what they will have. */
    private function warm(Site $site, array $pages): void
    {
        for ($pass = 0; $pass < WARM_UPS; $pass++) {
            array_map($site->page(...), $pages);
        }
    }

    public function measure(int $piece): array
    {
        if ($piece === 0) {
            $this->check_hits();
        }
        $this->asked++;
        [$body, $seconds, $cpu] = $this->site->page($this->pages[$piece % count($this->pages)]);
        return ['figure' => $seconds, 'client_cpu' => $cpu, 'asked' => 1, 'right' => 1, 'same' => md5($body), 'said' => $this->said];
    }

    /** Once a round: whether the main cache has answered anything since. */
    private function check_hits(): void
    {
        $hits = $this->site->hits($this->side === 'leveret', $this->host, $this->port);
        if ($this->hits !== null && $this->asked > 0) {
            $of_page = round(($hits - $this->hits) / $this->asked);
            $of_page > 0 || fail('its main cache answered no read');
            $this->said = "$of_page reads of a page were answered by its main cache";
        }
        $this->hits = $this->site->hits($this->side === 'leveret', $this->host, $this->port);
        $this->asked = 0;
    }

    /** Instructions of the PHP process for a page. Now and then MediaWiki computes a value anew before its time, so there are several. */
    public function count(): array
    {
        $counts = getcwd() . '/counts';
        $site = $this->site('counted', ['valgrind', '--tool=callgrind', '--instr-atstart=no', "--callgrind-out-file=$counts", '--log-file=/dev/null']);
        $page = $this->pages[0];
        $this->warm($site, [$page]);
        $files = $bodies = [];
        for ($number = 1; $number <= COUNTED; $number++) {
            $site->callgrind('--instr=on');
            $bodies[] = md5($site->page($page)[0]);
            $site->callgrind('--dump');
            $site->callgrind('--instr=off');
            $files[] = "$counts.$number";
        }
        $site->stop();
        count(array_unique($bodies)) === 1 || fail('under callgrind not all pages were the same');
        return ['counts' => $files, 'same' => $bodies[0]];
    }
}

$pages = null;
while (($line = fgets(STDIN)) !== false) {
    $given = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $answer = match ($given['do']) {
        'prepare' => ['ready' => ($pages = $given['workload'] === 'posts' ? new WordPressPages($given) : new Pages($argv[1], $given)) !== null],
        'measure' => $pages->measure($given['piece']),
        'count' => $pages->count(),
    };
    echo json_encode($answer), "\n";
}
