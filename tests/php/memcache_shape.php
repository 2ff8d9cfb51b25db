<?php
/*
 * What Reflection tells of the module memcache, a line each: php memcache_shape.php. Two providers that print the same are the same to
 * whoever calls them by name or by position, extends them, or looks at their types.
 */
function shape(ReflectionFunctionAbstract $function): string {
    $parameters = array_map(fn($parameter) => trim(implode(' ', [
        $parameter->getType(), ($parameter->isPassedByReference() ? '&$' : '$') . $parameter->getName(), $parameter->isOptional() ? 'optional' : '',
    ])), $function->getParameters());
    return $function->getName() . '(' . implode(', ', $parameters) . '): ' . ($function->getReturnType() ?? 'untyped') . ($function->returnsReference() ? ' by reference' : '');
}
$module = new ReflectionExtension('memcache');
foreach ($module->getClasses() as $class) {
    echo $class->getName(), ' extends ', $class->getParentClass() ? $class->getParentClass()->getName() : 'nothing', ', ', implode(' ', Reflection::getModifierNames($class->getModifiers())), "\n";
    foreach ($class->getMethods() as $method) {
        echo '  ', $method->class, ' ', implode(' ', Reflection::getModifierNames($method->getModifiers())), ' ', shape($method), "\n";
    }
}
foreach ($module->getFunctions() as $function) {
    echo shape($function), "\n";
}
foreach ($module->getConstants() as $name => $value) {
    echo "$name = ", var_export($value, true), "\n";
}
$directives = ini_get_all('memcache', true);
ksort($directives);
foreach ($directives as $name => $directive) {
    /* The newer original has one more, which does nothing. */
    echo $name === 'memcache.select_api' ? '' : "$name = " . var_export($directive['global_value'], true) . ", access {$directive['access']}\n";
}
