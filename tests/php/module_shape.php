<?php
/*
 * What Reflection tells of a module, a line each: php module_shape.php MODULE. Two providers that print the same are the same to
 * whoever calls them by name or by position, extends them, or looks at their types.
 */
function default_of(ReflectionParameter $parameter): string {
    return match (true) {
        !$parameter->isOptional() => '',
        !$parameter->isDefaultValueAvailable() => 'optional',
        default => '= ' . preg_replace('/\s+/', '', var_export($parameter->getDefaultValue(), true)),
    };
}
function shape(ReflectionFunctionAbstract $function): string {
    $parameters = array_map(fn($parameter) => trim(implode(' ', [
        $parameter->getType(), ($parameter->isPassedByReference() ? '&$' : '$') . $parameter->getName(), default_of($parameter),
    ])), $function->getParameters());
    $type = $function->getReturnType() ?? ($function->hasTentativeReturnType() ? 'tentatively ' . $function->getTentativeReturnType() : 'untyped');
    return $function->getName() . '(' . implode(', ', $parameters) . "): $type" . ($function->returnsReference() ? ' by reference' : '')
        . ($function->isDeprecated() ? ', deprecated' : '');
}
$module = new ReflectionExtension($argv[1]);
foreach ($module->getClasses() as $class) {
    echo $class->getName(), ' extends ', $class->getParentClass() ? $class->getParentClass()->getName() : 'nothing', ', ', implode(' ', Reflection::getModifierNames($class->getModifiers())),
        $class->isCloneable() ? ' cloneable' : '', $class->isInstantiable() ? '' : ' not instantiable', implode('', array_map(fn($name) => " implements $name", $class->getInterfaceNames())), "\n";
    $constants = array_filter($class->getReflectionConstants(), fn($constant) => $constant->class === $class->name);
    usort($constants, fn($left, $right) => strcmp($left->name, $right->name));
    foreach ($constants as $constant) {
        echo '  ', implode(' ', Reflection::getModifierNames($constant->getModifiers())), " {$class->name}::{$constant->name} = ", var_export($constant->getValue(), true), "\n";
    }
    foreach ($class->getProperties() as $property) {
        echo "  {$property->class} ", implode(' ', Reflection::getModifierNames($property->getModifiers())), ' ', trim($property->getType() . ' $') . $property->getName(), "\n";
    }
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
$directives = ini_get_all($argv[1], true);
ksort($directives);
foreach ($directives as $name => $directive) {
    echo "ini $name = ", var_export($directive['global_value'], true), ", access {$directive['access']}\n";
}
