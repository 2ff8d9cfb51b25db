<?php
/*
 * Calls of the class Memcached, each with its result, result code and message, a line each: php memcached_calls.php SERVER[,SERVER...] [BINARY]
 * The test runs it with pecl/memcached and with ours, and compares the lines. What no two runs share (cas tokens) is left out.
 */
error_reporting(E_ALL); ini_set('display_errors','1'); ini_set('html_errors','0');
set_error_handler(function($n,$t){ echo "[$n] $t\n"; return true; });
$server = $argv[1]; $binary = (int)($argv[2] ?? 0);
$m = new Memcached();
function add($m,$s){ if (str_starts_with($s,'/')||str_starts_with($s,'arena:')) $m->addServer($s,0); else { [$h,$p]=explode(':',$s); $m->addServer($h,(int)$p);} }
foreach (explode(",",$server) as $one) add($m,$one);
if ($binary) $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
$m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_PHP);
$m->flush();
function show($label, $v) { global $m; echo $label,': ',str_replace("\n",' ',var_export($v,true)),' code=',$m->getResultCode(),' ',$m->getResultMessage(),"\n"; }
class P { public $a=1; protected $b=[2]; private $c='x'; public function __wakeup(){} }
$values=['string'=>'hello','empty'=>'','int'=>42,'neg'=>-7,'zero'=>0,'float'=>1.5,'big'=>PHP_INT_MAX,'true'=>true,'false'=>false,'null'=>null,'array'=>['a'=>1,'b'=>[2,3]],'object'=>new P,'long'=>str_repeat('abc',3000),'bytes'=>random_bytes(3)&"\0\0\0",'exp'=>1e100,'inf'=>INF];
foreach($values as $k=>$v){ show("set $k",$m->set($k,$v)); $g=$m->get($k); show("get $k", is_string($g)&&strlen($g)>100?md5($g):$g); }
show('miss',$m->get('nope')); show('add existing',$m->add('int',1)); show('add new',$m->add('new',1)); show('replace missing',$m->replace('nope2',1)); show('replace',$m->replace('new',2));
show('inc',$m->increment('int',5)); show('get int',$m->get('int')); show('dec',$m->decrement('int',100)); show('inc missing',$m->increment('nope3')); show('inc text',$m->increment('string')); show('inc neg',$m->increment('int',-1));
show('inc initial',$m->increment('ini',1,10)); show('get ini', $m->get('ini'));
show('append comp',$m->append('string','x')); $m->setOption(Memcached::OPT_COMPRESSION,false); show('append',$m->append('string',' world')); show('get',$m->get('string')); show('prepend',$m->prepend('string','> ')); show('get',$m->get('string')); show('append missing',$m->append('nope4','x')); $m->setOption(Memcached::OPT_COMPRESSION,true);
show('delete',$m->delete('new')); show('delete again',$m->delete('new'));
show('touch',$m->touch('string',100)); show('touch missing',$m->touch('nope5',100));
$e=$m->get('string',null,Memcached::GET_EXTENDED); $cas=$e['cas']; unset($e['cas']); show('extended',$e); show('cas type',gettype($cas));
show('cas ok',$m->cas($cas,'string','new')); show('cas stale',$m->cas($cas,'string','new2')); show('cas missing',$m->cas($cas,'nope6','x'));
show('setMulti',$m->setMulti(['m1'=>1,'m2'=>'two','m3'=>[3],5=>'five'])); $r=$m->getMulti(['m1','nope7','m3','m2','5']); ksort($r); show('getMulti',$r);
show('preserve',$m->getMulti(['m3','nope7','m1'],Memcached::GET_PRESERVE_ORDER));
show('deleteMulti',$m->deleteMulti(['m1','nope8','m2']));
show('bad key',$m->get('a b')); show('bad key set',$m->set("a\nb",1)); show('empty key',$m->get('')); show('long key',$m->set(str_repeat('k',251),1)); show('250',$m->set(str_repeat('k',250),1));
show('checkKey',[$m->checkKey('ok'),$m->checkKey('a b'),$m->checkKey('')]);
show('delayed',$m->getDelayed(['int','m3','nope'],true)); $all=$m->fetchAll(); foreach($all as &$x) $x['cas']=gettype($x['cas']); unset($x); usort($all,fn($a,$b)=>$a['key']<=>$b['key']); show('fetchAll',$all);
show('delayed',$m->getDelayed(['m3'])); $one=$m->fetch(); unset($one['cas']); show('fetch',$one); show('fetch end',$m->fetch()); show('fetch nothing',$m->fetch());
$seen=[]; show('delayed cb',$m->getDelayed(['m3','int'],false,function($mm,$i) use(&$seen){$seen[]=$i['key'];})); sort($seen); show('seen',$seen);
show('cb',$m->get('filled',function($mm,$key,&$value,&$exp){$value="filled $key";$exp=100;return true;})); show('get filled',$m->get('filled')); show('cb no',$m->get('unfilled',function($mm,$key,&$value){$value=1;return false;}));
show('cb ext',$m->get('extfilled',function($mm,$key,&$value){$value=['value'=>'v'];return true;},Memcached::GET_EXTENDED));
$m->setOption(Memcached::OPT_PREFIX_KEY,'pre.'); show('prefix',$m->getOption(Memcached::OPT_PREFIX_KEY)); show('set',$m->set('x',1)); show('multi',$m->getMulti(['x'])); $m->setOption(Memcached::OPT_PREFIX_KEY,''); show('get pre.x',$m->get('pre.x'));
$m->setOption(Memcached::OPT_USER_FLAGS,77); show('set flags',$m->set('uf',[1])); $e=$m->get('uf',null,Memcached::GET_EXTENDED); show('flags',$e['flags']); $m->setOption(Memcached::OPT_USER_FLAGS,-1);
foreach([Memcached::SERIALIZER_JSON,Memcached::SERIALIZER_JSON_ARRAY,Memcached::SERIALIZER_PHP] as $s){ show("serializer $s",$m->setOption(Memcached::OPT_SERIALIZER,$s)); show('set',$m->set('ser',['a'=>1,'o'=>(object)['x'=>2]])); show('get',$m->get('ser')); }
$m->setOption(Memcached::OPT_COMPRESSION_TYPE,Memcached::COMPRESSION_ZLIB); show('zlib',$m->set('z',str_repeat('abc',3000))); show('get',md5($m->get('z')));
show('too big',$m->set('huge',random_bytes(3<<20))); show('expired',$m->set('ex',1,-1)); show('get ex',$m->get('ex'));
show('version',array_keys($m->getVersion())); $s=$m->getStats(); show('stats keys',array_keys($s)); show('types',[gettype($s[array_key_first($s)]['pid']??null),gettype($s[array_key_first($s)]['version']??null)]);
show('list',$m->getServerList()); show('byKey',$m->getServerByKey('a'));
show('setByKey',$m->setByKey('srv','bk',1)); show('getByKey',$m->getByKey('srv','bk')); show('multiByKey',$m->getMultiByKey('srv',['bk']));
show('flush',$m->flush()); show('after',$m->get('int'));
show('quit',$m->quit()); show('reset',$m->resetServerList()); show('none',$m->get('x'));
