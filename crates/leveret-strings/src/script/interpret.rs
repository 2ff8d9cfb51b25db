//! A tree, evaluated. Nothing here loops, so a script ends after as many steps as it has nodes.
use super::item::{ItemCopy, ItemReply, ScriptMoment};
use super::parse::ScriptTree;
use super::tree::{BinaryOperator, Expression, Function, Statement, UnaryOperator};
use super::value::{number_text, LuaValue};
use crate::command::{CommandFlags, CommandRow};
use crate::problem::Problem;
use leveret_protocol::resp::{ArgumentsBuf, ReplyWriter, RespVersion};
use std::cmp::Ordering;

/// Why a script did not come to its end.
#[derive(Debug)]
pub enum ScriptStop {
    /// An error for the client; earlier writes stay. The line is that of the script.
    Failed(Vec<u8>, u32),
    /// It uses a feature that is not supported here.
    Unsupported,
    /// It asks for this key first: the copy must be its item.
    Key(Vec<u8>),
}

/// Looks a command up.
pub type FindRow = fn(&[u8]) -> Option<&'static CommandRow>;

/// One run of a script.
pub struct Interpreter<'s> {
    /// The keys of the request.
    pub keys: &'s [&'s [u8]],
    /// The other arguments.
    pub arguments: &'s [&'s [u8]],
    /// The key that the script works on, once that is known.
    pub key: Option<&'s [u8]>,
    /// Its item.
    pub item: ItemCopy,
    /// The clock and the bounds.
    pub at: ScriptMoment,
    /// The command table.
    pub find_row: FindRow,
    /// `EVAL_RO`.
    pub is_read_only: bool,
    /// Values of the local variables.
    pub places: Vec<LuaValue>,
    /// Bytes of strings that it may still make.
    pub budget: usize,
}

enum Flow {
    On,
    Returned(LuaValue),
}

type Evaluated<T> = Result<T, ScriptStop>;

fn failed<T>(text: &str, line: u32) -> Evaluated<T> {
    Err(ScriptStop::Failed(text.as_bytes().to_vec(), line))
}

/// An error of Lua itself.
fn fault<T>(text: &str, line: u32) -> Evaluated<T> {
    failed(&format!("ERR user_script:{line}: {text}"), line)
}

impl Interpreter<'_> {
    /// The value that the script returns.
    pub fn run(&mut self, tree: &ScriptTree) -> Evaluated<LuaValue> {
        self.places = vec![LuaValue::Nil; tree.places];
        match self.block(&tree.block)? {
            Flow::Returned(value) => Ok(value),
            Flow::On => Ok(LuaValue::Nil),
        }
    }

    fn block(&mut self, block: &[Statement]) -> Evaluated<Flow> {
        for statement in block {
            if let Flow::Returned(value) = self.statement(statement)? {
                return Ok(Flow::Returned(value));
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, statement: &Statement) -> Evaluated<Flow> {
        match statement {
            Statement::Assign(places, expressions) => {
                let values = expressions.iter().map(|one| self.value(one)).collect::<Evaluated<Vec<_>>>()?;
                let mut values = values.into_iter();
                for place in places {
                    self.places[*place] = values.next().unwrap_or(LuaValue::Nil);
                }
            }
            Statement::If(branches) => {
                for (condition, block) in branches {
                    let holds = match condition {
                        Some(condition) => self.value(condition)?.is_true(),
                        None => true,
                    };
                    if holds {
                        return self.block(block);
                    }
                }
            }
            Statement::Return(None) => return Ok(Flow::Returned(LuaValue::Nil)),
            Statement::Return(Some(value)) => return Ok(Flow::Returned(self.value(value)?)),
            Statement::Call(call) => drop(self.value(call)?),
            Statement::Do(block) => return self.block(block),
        }
        Ok(Flow::On)
    }

    fn value(&mut self, expression: &Expression) -> Evaluated<LuaValue> {
        Ok(match expression {
            Expression::Nil => LuaValue::Nil,
            Expression::Bool(is_so) => LuaValue::Bool(*is_so),
            Expression::Number(number) => LuaValue::Number(*number),
            Expression::Text(text) => LuaValue::Text(text.clone()),
            Expression::Local(place) => {
                self.spend(self.places[*place].size())?;
                self.places[*place].clone()
            }
            Expression::Key(index) => {
                let index = self.value(index)?;
                self.element(self.keys, &index)?
            }
            Expression::Argument(index) => {
                let index = self.value(index)?;
                self.element(self.arguments, &index)?
            }
            Expression::KeyCount => LuaValue::Number(self.keys.len() as f64),
            Expression::ArgumentCount => LuaValue::Number(self.arguments.len() as f64),
            Expression::Field(value, field) => field_of(&self.value(value)?, &self.value(field)?)?,
            Expression::List(elements) => {
                LuaValue::List(elements.iter().map(|one| self.value(one)).collect::<Evaluated<_>>()?)
            }
            Expression::Named(is_ok, text) => match (self.value(text)?, is_ok) {
                (LuaValue::Text(text), true) => LuaValue::Status(text),
                (LuaValue::Text(text), false) => LuaValue::Failed(text),
                _ => return Err(ScriptStop::Unsupported),
            },
            Expression::Unary(operator, operand, line) => unary(*operator, &self.value(operand)?, *line)?,
            Expression::Binary(operator, left, right, line) => self.binary(*operator, left, right, *line)?,
            Expression::Call(function, arguments, line) => {
                let arguments = arguments.iter().map(|one| self.value(one)).collect::<Evaluated<Vec<_>>>()?;
                self.call(*function, &arguments, *line)?
            }
        })
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &Expression,
        right: &Expression,
        line: u32,
    ) -> Evaluated<LuaValue> {
        let left = self.value(left)?;
        match operator {
            BinaryOperator::Or if left.is_true() => return Ok(left),
            BinaryOperator::And if !left.is_true() => return Ok(left),
            BinaryOperator::Or | BinaryOperator::And => return self.value(right),
            _ => {}
        }
        let right = self.value(right)?;
        let compared = |holds: fn(Ordering) -> bool| match left.compare(&right) {
            Some(order) => Ok(LuaValue::Bool(order.is_some_and(holds))),
            None if left.type_name() == right.type_name() => {
                fault(&format!("attempt to compare two {} values", left.type_name()), line)
            }
            None => fault(&format!("attempt to compare {} with {}", left.type_name(), right.type_name()), line),
        };
        let counted = |count: fn(f64, f64) -> f64| match (left.number(), right.number()) {
            (Some(left), Some(right)) => Ok(LuaValue::Number(count(left, right))),
            (left_number, _) => {
                let wrong = if left_number.is_none() { &left } else { &right };
                fault(&format!("attempt to perform arithmetic on a {} value", wrong.type_name()), line)
            }
        };
        match operator {
            BinaryOperator::Equal => Ok(LuaValue::Bool(left.equals(&right))),
            BinaryOperator::NotEqual => Ok(LuaValue::Bool(!left.equals(&right))),
            BinaryOperator::Less => compared(Ordering::is_lt),
            BinaryOperator::Greater => compared(Ordering::is_gt),
            BinaryOperator::LessOrEqual => compared(Ordering::is_le),
            BinaryOperator::GreaterOrEqual => compared(Ordering::is_ge),
            BinaryOperator::Add => counted(|left, right| left + right),
            BinaryOperator::Subtract => counted(|left, right| left - right),
            BinaryOperator::Multiply => counted(|left, right| left * right),
            BinaryOperator::Divide => counted(|left, right| left / right),
            BinaryOperator::Modulo => counted(|left, right| left - (left / right).floor() * right),
            BinaryOperator::Join => match (left.joinable(), right.joinable()) {
                (Some(left), Some(right)) => {
                    self.spend(left.len() + right.len())?;
                    Ok(LuaValue::Text([left, right].concat()))
                }
                (left_text, _) => {
                    let wrong = if left_text.is_none() { &left } else { &right };
                    fault(&format!("attempt to concatenate a {} value", wrong.type_name()), line)
                }
            },
            BinaryOperator::Or | BinaryOperator::And => Ok(LuaValue::Nil),
        }
    }

    fn call(&mut self, function: Function, arguments: &[LuaValue], line: u32) -> Evaluated<LuaValue> {
        let first = arguments.first();
        Ok(match function {
            Function::ToNumber => match (first, arguments.len()) {
                (Some(value), 1) => value.number().map_or(LuaValue::Nil, LuaValue::Number),
                _ => return Err(ScriptStop::Unsupported),
            },
            Function::ToString => match first {
                Some(LuaValue::Nil) => LuaValue::Text(b"nil".to_vec()),
                Some(LuaValue::Bool(is_so)) => LuaValue::Text(is_so.to_string().into_bytes()),
                Some(value) => value.joinable().map(LuaValue::Text).ok_or(ScriptStop::Unsupported)?,
                None => return Err(ScriptStop::Unsupported),
            },
            Function::Type => match first {
                Some(value) => LuaValue::Text(value.type_name().as_bytes().to_vec()),
                None => return Err(ScriptStop::Unsupported),
            },
            Function::Floor => match first.and_then(LuaValue::number) {
                Some(number) => LuaValue::Number(number.floor()),
                None => return Err(ScriptStop::Unsupported),
            },
            Function::ReplicateCommands => LuaValue::Bool(true),
            Function::StatusReply | Function::ErrorReply => match (first, arguments.len()) {
                (Some(LuaValue::Text(text)), 1) if function == Function::StatusReply => LuaValue::Status(text.clone()),
                (Some(LuaValue::Text(text)), 1) => LuaValue::Failed(error_reply(text)),
                _ => LuaValue::Failed(b"ERR wrong number or type of arguments".to_vec()),
            },
            Function::RedisCall | Function::RedisPcall => match self.redis(arguments)? {
                Err(text) if function == Function::RedisPcall => LuaValue::Failed(text),
                Err(text) => return Err(ScriptStop::Failed(text, line)),
                Ok(value) => value,
            },
        })
    }

    /// Values are copied, so that a short text could ask for any memory.
    fn spend(&mut self, bytes: usize) -> Evaluated<()> {
        match self.budget.checked_sub(bytes) {
            Some(left) => self.budget = left,
            None => return failed("ERR not enough memory", 1),
        }
        Ok(())
    }

    fn element(&mut self, elements: &[&[u8]], index: &LuaValue) -> Evaluated<LuaValue> {
        let found = place_of(elements.len(), index).map(|place| elements[place]);
        self.spend(found.map_or(0, <[u8]>::len))?;
        Ok(found.map_or(LuaValue::Nil, |text| LuaValue::Text(text.to_vec())))
    }

    /// A command of the script. The inner error is what the command answers.
    fn redis(&mut self, arguments: &[LuaValue]) -> Evaluated<Result<LuaValue, Vec<u8>>> {
        let told = |text: &str| Ok(Err(text.as_bytes().to_vec()));
        if arguments.is_empty() {
            return told("ERR Please specify at least one argument for this redis lib call");
        }
        let mut request = ArgumentsBuf::new();
        for argument in arguments {
            match argument {
                LuaValue::Number(number) => request.push(number_text(*number, 17).as_bytes()),
                LuaValue::Text(text) => request.push(text),
                _ => return told("ERR Lua redis lib command arguments must be strings or integers"),
            };
        }
        let request = request.arguments();
        let Some(row) = (self.find_row)(request.name()) else {
            return told("ERR Unknown Redis command called from script");
        };
        if !row.is_served() {
            return Err(ScriptStop::Unsupported);
        }
        if !row.takes(request.len()) {
            return told("ERR Wrong number of args calling Redis command from script");
        }
        if row.flags.has(CommandFlags::NO_SCRIPT) {
            return told("ERR This Redis command is not allowed from script");
        }
        if self.is_read_only && row.flags.has(CommandFlags::WRITE) {
            return told("ERR Write commands are not allowed from read-only scripts.");
        }
        // The copy is of one key.
        let mut keys = row.keys.of(request.len()).map(|index| request.get(index));
        match (keys.next(), keys.next(), self.key) {
            (Some(key), None, Some(known)) if key == known => {}
            (Some(key), None, None) => return Err(ScriptStop::Key(key.to_vec())),
            _ => return Err(ScriptStop::Unsupported),
        }
        Ok(match self.item.run(row.name, &request, self.at) {
            None => return Err(ScriptStop::Unsupported),
            Some(Ok(ItemReply::Integer(number))) => Ok(LuaValue::Number(number as f64)),
            Some(Ok(ItemReply::Bulk(bytes))) => {
                self.spend(bytes.len())?;
                Ok(LuaValue::Text(bytes))
            }
            Some(Ok(ItemReply::Nil)) => Ok(LuaValue::Bool(false)),
            Some(Ok(ItemReply::Status(status))) => Ok(LuaValue::Status(status.as_bytes().to_vec())),
            Some(Err(problem)) => Err(error_text(&problem)),
        })
    }
}

/// The element of a one-based index, out of `len`.
fn place_of(len: usize, index: &LuaValue) -> Option<usize> {
    match index {
        LuaValue::Number(number) if *number >= 1.0 && *number <= len as f64 && number.fract() == 0.0 => {
            Some(*number as usize - 1)
        }
        _ => None,
    }
}

fn field_of(value: &LuaValue, field: &LuaValue) -> Evaluated<LuaValue> {
    match (value, field) {
        (LuaValue::Status(text), LuaValue::Text(name)) if name == b"ok" => Ok(LuaValue::Text(text.clone())),
        (LuaValue::Failed(text), LuaValue::Text(name)) if name == b"err" => Ok(LuaValue::Text(text.clone())),
        (LuaValue::Status(_) | LuaValue::Failed(_), _) => Ok(LuaValue::Nil),
        (LuaValue::List(elements), index) => {
            Ok(place_of(elements.len(), index).map_or(LuaValue::Nil, |place| elements[place].clone()))
        }
        _ => Err(ScriptStop::Unsupported),
    }
}

fn unary(operator: UnaryOperator, value: &LuaValue, line: u32) -> Evaluated<LuaValue> {
    Ok(match (operator, value) {
        (UnaryOperator::Not, value) => LuaValue::Bool(!value.is_true()),
        (UnaryOperator::Minus, value) => match value.number() {
            Some(number) => LuaValue::Number(-number),
            None => return fault(&format!("attempt to perform arithmetic on a {} value", value.type_name()), line),
        },
        (UnaryOperator::Length, LuaValue::Text(text)) => LuaValue::Number(text.len() as f64),
        (UnaryOperator::Length, LuaValue::List(elements)) if !elements.contains(&LuaValue::Nil) => {
            LuaValue::Number(elements.len() as f64)
        }
        (UnaryOperator::Length, LuaValue::Status(_) | LuaValue::Failed(_)) => LuaValue::Number(0.0),
        (UnaryOperator::Length, LuaValue::List(_)) => return Err(ScriptStop::Unsupported),
        (UnaryOperator::Length, value) => {
            return fault(&format!("attempt to get length of a {} value", value.type_name()), line);
        }
    })
}

/// As `redis.error_reply` makes it: a single word gets a prefix.
fn error_reply(text: &[u8]) -> Vec<u8> {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    if text.contains(&b' ') {
        return text.to_vec();
    }
    [b"ERR ", text].concat()
}

fn error_text(problem: &Problem) -> Vec<u8> {
    let mut out = Vec::new();
    problem.write(&mut ReplyWriter::new(&mut out, RespVersion::Two));
    out.trim_ascii_end().strip_prefix(b"-").unwrap_or_default().to_vec()
}
