<?php
// The database: three options, and a note of what it was asked.
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

    /** Newer ones ask for the options that are to be loaded by themselves. */
    public function _escape($data)
    {
        return is_array($data) ? array_map($this->_escape(...), $data) : addslashes($data);
    }

    /** What WordPress also calls, and needs no answer of. */
    public function __call($name, $words)
    {
        return null;
    }
}

$wpdb = new Options();
