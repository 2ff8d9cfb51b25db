//! A script as a tree: the statements and expressions that are evaluated here.

/// Statements one after the other.
pub type Block = Vec<Statement>;

/// A statement.
#[derive(Debug)]
pub enum Statement {
    /// `local a, b = …`, `a = …`: these places, these values.
    Assign(Vec<usize>, Vec<Expression>),
    /// `if … elseif … else`: the last block has no condition.
    If(Vec<(Option<Expression>, Block)>),
    /// `return …`.
    Return(Option<Expression>),
    /// A call whose value is not used.
    Call(Expression),
    /// `do … end`.
    Do(Block),
}

/// An expression.
#[derive(Debug)]
pub enum Expression {
    /// Nothing.
    Nil,
    /// `true`, `false`.
    Bool(bool),
    /// A literal.
    Number(f64),
    /// A literal.
    Text(Vec<u8>),
    /// The value of this variable.
    Local(usize),
    /// `KEYS[…]`.
    Key(Box<Expression>),
    /// `ARGV[…]`.
    Argument(Box<Expression>),
    /// `#KEYS`.
    KeyCount,
    /// `#ARGV`.
    ArgumentCount,
    /// `a[…]`, `a.ok`.
    Field(Box<Expression>, Box<Expression>),
    /// `{…}`.
    List(Vec<Expression>),
    /// `{ok = …}`, `{err = …}`.
    Named(bool, Box<Expression>),
    /// `-a`, `not a`, `#a`.
    Unary(UnaryOperator, Box<Expression>, u32),
    /// `a + b`.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>, u32),
    /// `f(…)`.
    Call(Function, Vec<Expression>, u32),
}

/// Operations on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOperator {
    Minus,
    Not,
    Length,
}

/// Operations on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Or,
    And,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    NotEqual,
    Equal,
    Join,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// A function that scripts may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Function {
    ToNumber,
    ToString,
    Type,
    RedisCall,
    RedisPcall,
    ReplicateCommands,
    StatusReply,
    ErrorReply,
    Floor,
}
