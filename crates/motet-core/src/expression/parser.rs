//! From tokens to the tree: a Pratt parser whose depth and size are limited, so that no text can exhaust the stack.
//! It does not know which variables exist; it does know every function, and refuses the others.

use serde_json::Value;

use super::fault::Fault;
use super::functions::{self, Function, Method};
use super::lexer::{self, Token};
use super::syntax::{Each, Kind, Node, Operator, Place, Quantity, Step, StepKind};
use crate::diagnostic::nearest;

const MOST_BYTES: usize = 16 * 1024;
const MOST_NODES: usize = 4_000;
const MOST_DEPTH: usize = 64;

const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

pub(super) fn parse(source: &str) -> Result<Node, Fault> {
    if source.len() > MOST_BYTES {
        return Err(Fault::new(0..1, format!("an expression may have {MOST_BYTES} bytes, this one has {}", source.len())).code("M0504"));
    }
    let mut parser = Parser { tokens: lexer::tokens(source)?, at: 0, depth: 0, nodes: 0 };
    if parser.peek() == &Token::End {
        return Err(Fault::new(0..1, "the expression is empty"));
    }
    let node = parser.expression()?;
    match parser.peek() {
        Token::End => Ok(node),
        _ => Err(parser.unexpected("the end of the expression, or an operator")),
    }
}

struct Parser {
    tokens: Vec<(Token, Place)>,
    at: usize,
    depth: usize,
    nodes: usize,
}

impl Parser {
    fn expression(&mut self) -> Result<Node, Fault> {
        self.deeper(|parser| {
            let condition = parser.binary(1)?;
            if !parser.take("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":")?;
            let otherwise = parser.expression()?;
            let place = condition.place.start..otherwise.place.end;
            parser.node(Kind::Conditional(Box::new([condition, then, otherwise])), place)
        })
    }

    fn binary(&mut self, minimum: u8) -> Result<Node, Fault> {
        let mut left = self.unary()?;
        while let Some(operator) = self.operator().filter(|operator| operator.level() >= minimum) {
            self.at += 1;
            let right = self.deeper(|parser| parser.binary(operator.level() + 1))?;
            let place = left.place.start..right.place.end;
            left = match left.kind {
                Kind::Chain(first, mut rest) if rest.last().is_some_and(|(last, _)| last.level() == operator.level()) => {
                    rest.push((operator, right));
                    Node { kind: Kind::Chain(first, rest), place }
                }
                kind => self.node(Kind::Chain(Box::new(Node { kind, place: left.place }), vec![(operator, right)]), place)?,
            };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<Operator> {
        Some(match self.peek() {
            Token::Symbol("||") => Operator::Or,
            Token::Symbol("&&") => Operator::And,
            Token::Symbol("==") => Operator::Equal,
            Token::Symbol("!=") => Operator::NotEqual,
            Token::Symbol("<") => Operator::Less,
            Token::Symbol("<=") => Operator::LessOrEqual,
            Token::Symbol(">") => Operator::Greater,
            Token::Symbol(">=") => Operator::GreaterOrEqual,
            Token::Symbol("+") => Operator::Add,
            Token::Symbol("-") => Operator::Subtract,
            Token::Symbol("*") => Operator::Multiply,
            Token::Symbol("/") => Operator::Divide,
            Token::Symbol("%") => Operator::Remainder,
            Token::Word(word) if word == "in" => Operator::In,
            _ => return None,
        })
    }

    fn unary(&mut self) -> Result<Node, Fault> {
        let start = self.place().start;
        if self.take("!") {
            let inner = self.deeper(Self::unary)?;
            let place = start..inner.place.end;
            return self.node(Kind::Not(Box::new(inner)), place);
        }
        if !self.take("-") {
            return self.path();
        }
        if self.peek() == &Token::Integer(1 << 63) {
            self.at += 1;
            return self.node(Kind::Literal(i64::MIN.into()), start..self.before());
        }
        let inner = self.deeper(Self::unary)?;
        let place = start..inner.place.end;
        self.node(Kind::Negate(Box::new(inner)), place)
    }

    fn path(&mut self) -> Result<Node, Fault> {
        let root = self.primary()?;
        let mut steps = Vec::new();
        loop {
            let kind = if self.take(".") {
                self.member()?
            } else if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                StepKind::Index(index)
            } else {
                break;
            };
            self.count()?;
            steps.push(Step { kind, end: self.before() });
        }
        if steps.is_empty() {
            return Ok(root);
        }
        let place = root.place.start..self.before();
        match root.kind {
            Kind::Path(inner, mut before) => {
                before.append(&mut steps);
                Ok(Node { kind: Kind::Path(inner, before), place })
            }
            _ => self.node(Kind::Path(Box::new(root), steps), place),
        }
    }

    fn member(&mut self) -> Result<StepKind, Fault> {
        let place = self.place();
        let name = match self.peek() {
            Token::Word(word) if !["in", "true", "false", "null"].contains(&word.as_str()) => word.clone(),
            _ => return Err(self.unexpected("the name of a field")),
        };
        self.at += 1;
        if self.peek() != &Token::Symbol("(") {
            return Ok(StepKind::Field(name));
        }
        self.at += 1;
        let arguments = self.sequence(")")?;
        if let Some(quantity) = Quantity::named(&name) {
            return each(quantity, &name, arguments, place);
        }
        let Some(method) = Method::named(&name) else {
            let fault = Fault::new(place, format!("unknown method `{name}`")).code("M0502");
            return Err(match nearest(&name, Method::NAMES.iter().copied()) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None if Function::named(&name).is_some() => fault.help(format!("`{name}` is a function: write `{name}(…)`")),
                None => fault.help(format!("known methods: {}", Method::NAMES.join(", "))),
            });
        };
        check_count(&name, method.arguments(), arguments.len(), place)?;
        match (method, arguments.as_slice()) {
            (Method::Matches, [Node { kind: Kind::Literal(Value::String(pattern)), place }]) => match functions::pattern(pattern) {
                Ok(regex) => Ok(StepKind::Matches(Box::new(regex))),
                Err(reason) => Err(Fault::new(place.clone(), format!("not a usable regular expression: {reason}"))),
            },
            _ => Ok(StepKind::Call(method, arguments)),
        }
    }

    fn primary(&mut self) -> Result<Node, Fault> {
        let (token, place) = self.tokens[self.at].clone();
        let literal = match token {
            Token::Integer(number) => match i64::try_from(number) {
                Ok(number) => Value::from(number),
                Err(_) => return Err(Fault::new(place, format!("`{number}` is not a whole number of 64 bits"))),
            },
            Token::Float(number) => Value::from(number),
            Token::Text(text) => Value::String(text),
            Token::Word(word) => match word.as_str() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "null" => Value::Null,
                _ => return self.name(word, place),
            },
            Token::Symbol("(") => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Symbol("[") => {
                self.at += 1;
                let items = self.sequence("]")?;
                return self.node(Kind::List(items), place.start..self.before());
            }
            Token::Symbol("{") => {
                self.at += 1;
                let fields = self.fields()?;
                return self.node(Kind::Map(fields), place.start..self.before());
            }
            Token::Symbol(_) | Token::End => return Err(self.unexpected("a value")),
        };
        self.at += 1;
        self.node(Kind::Literal(literal), place)
    }

    /// A variable, or a call of a function.
    fn name(&mut self, name: String, place: Place) -> Result<Node, Fault> {
        if name == "in" {
            return Err(self.unexpected("a value"));
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(Fault::new(place, format!("`{name}` is a reserved word"))
                .help(format!("as a field it can be written after a dot or as [\"{name}\"]")));
        }
        self.at += 1;
        if !self.take("(") {
            if self.peek() == &Token::Symbol("{") {
                return Err(self.unexpected("an operator").help("messages cannot be built here; a map is written { \"key\": value }"));
            }
            return self.node(Kind::Variable(name), place);
        }
        let arguments = self.sequence(")")?;
        let Some(function) = Function::named(&name) else {
            let fault = Fault::new(place, format!("unknown function `{name}`")).code("M0502");
            return Err(match nearest(&name, Function::NAMES.iter().copied()) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None if Method::named(&name).is_some() => fault.help(format!("`{name}` is a method: write `text.{name}(…)`")),
                None if Quantity::named(&name).is_some() => fault.help(format!("write `list.{name}(x, …)`")),
                None => fault.help(format!("known functions: {}", Function::NAMES.join(", "))),
            });
        };
        check_count(&name, function.arguments(), arguments.len(), place.clone())?;
        if function == Function::Has && !is_field(&arguments[0]) {
            return Err(Fault::new(arguments[0].place.clone(), "`has` asks for a field: `has(data.plan)`").code("M0503"));
        }
        self.node(Kind::Call(function, arguments), place.start..self.before())
    }

    fn sequence(&mut self, end: &'static str) -> Result<Vec<Node>, Fault> {
        let mut items = Vec::new();
        while !self.take(end) {
            items.push(self.expression()?);
            if !self.take(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(items)
    }

    fn fields(&mut self) -> Result<Vec<(Node, Node)>, Fault> {
        let mut fields = Vec::new();
        while !self.take("}") {
            let key = self.expression()?;
            self.expect(":")?;
            fields.push((key, self.expression()?));
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(fields)
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth == MOST_DEPTH {
            return Err(Fault::new(self.place(), format!("the expression nests deeper than {MOST_DEPTH} levels")).code("M0504"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn node(&mut self, kind: Kind, place: Place) -> Result<Node, Fault> {
        self.count()?;
        Ok(Node { kind, place })
    }

    fn count(&mut self) -> Result<(), Fault> {
        self.nodes += 1;
        match self.nodes > MOST_NODES {
            true => Err(Fault::new(self.place(), format!("the expression has more than {MOST_NODES} parts")).code("M0504")),
            false => Ok(()),
        }
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn place(&self) -> Place {
        self.tokens[self.at].1.clone()
    }

    /// Where the last taken token ends.
    fn before(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].1.end
    }

    fn take(&mut self, symbol: &'static str) -> bool {
        let found = self.peek() == &Token::Symbol(symbol);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &'static str) -> Result<(), Fault> {
        match self.take(symbol) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{symbol}`"))),
        }
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        let found = match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Integer(number) => format!("`{number}`"),
            Token::Float(number) => format!("`{number}`"),
            Token::Text(_) => "a text".into(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".into(),
        };
        let fault = Fault::new(self.place(), format!("expected {wanted}, found {found}"));
        match self.peek() {
            Token::Word(word) if word == "and" => fault.help("write `&&`"),
            Token::Word(word) if word == "or" => fault.help("write `||`"),
            Token::Word(word) if word == "not" => fault.help("write `!`"),
            Token::Word(word) if word == "if" || word == "else" => fault.help("write `condition ? value : other value`"),
            _ => fault,
        }
    }
}

fn each(quantity: Quantity, name: &str, arguments: Vec<Node>, place: Place) -> Result<StepKind, Fault> {
    let most = if quantity == Quantity::Map { 3 } else { 2 };
    check_count(name, 2..=most, arguments.len(), place)?;
    let mut arguments = arguments.into_iter();
    let variable = match arguments.next() {
        Some(Node { kind: Kind::Variable(variable), .. }) => variable,
        other => {
            let place = other.map_or(0..1, |node| node.place);
            return Err(Fault::new(place, "expected a name for the element").code("M0503").help(format!("write `list.{name}(x, …)`")));
        }
    };
    let (second, third) = (arguments.next(), arguments.next());
    let (condition, body) = match (quantity, third) {
        (Quantity::Map, None) => (None, second),
        (_, third) => (second, third),
    };
    Ok(StepKind::Each(Box::new(Each { quantity, variable, condition, body })))
}

fn check_count(name: &str, allowed: std::ops::RangeInclusive<usize>, given: usize, place: Place) -> Result<(), Fault> {
    if allowed.contains(&given) {
        return Ok(());
    }
    let wanted = match (*allowed.start(), *allowed.end()) {
        (0, 0) => "no argument".to_owned(),
        (1, 1) => "one argument".to_owned(),
        (least, most) if least == most => format!("{least} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    };
    Err(Fault::new(place, format!("`{name}` takes {wanted}, not {given}")).code("M0503"))
}

fn is_field(node: &Node) -> bool {
    matches!(&node.kind, Kind::Path(_, steps) if matches!(steps.last(), Some(Step { kind: StepKind::Field(_), .. })))
}
