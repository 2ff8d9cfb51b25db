<?php
// The database: three options, and a log of the queries.
class Options
{
    public $options = 'wp_options';
    public $prefix = 'wp_';
    public $field_types;
    public array $asked = [];
    private array $rows = ['siteurl' => 'http://localhost', 'blogname' => 'A site', 'sticky_posts' => 'a:1:{i:0;i:7;}'];

    public function get_results($query)
    {
        $this->asked[] = $query;
        return array_map(fn ($name, $value) => (object) ['option_name' => $name, 'option_value' => $value], array_keys($this->rows), $this->rows);
    }

    public function get_row($query)
    {
        $this->asked[] = $query;
        return null;
    }

    public function prepare($query, ...$words)
    {
        return vsprintf(str_replace('%s', "'%s'", $query), $words);
    }

    /** Newer versions query the autoloaded options. */
    public function _escape($data)
    {
        return is_array($data) ? array_map($this->_escape(...), $data) : addslashes($data);
    }

    /** Further methods that WordPress calls, without a result. */
    public function __call($name, $words)
    {
        return null;
    }
}

$wpdb = new Options();
