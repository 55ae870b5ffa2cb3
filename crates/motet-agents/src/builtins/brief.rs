//! A brief: what someone wants written, how hard that is, and which workers it asks for.
//! A heuristic and nothing more: a planner that thinks may choose differently.

use serde::Deserialize;
use serde_json::{Value, json};

use super::catalogue::{Catalogue, Priority, Worker, field, or_default};
use super::rounded;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Brief {
    pub topic: String,
    pub content_type: Option<String>,
    pub length: Option<u64>,
    pub tone: Option<String>,
    pub research_depth: Option<String>,
    pub min_sources: Option<u64>,
    pub min_quality: Option<f64>,
    pub max_budget: Option<f64>,
    pub max_time: Option<f64>,
    #[serde(deserialize_with = "or_default")]
    pub preferred_sources: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub key_points: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub keywords: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub specific_sections: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub exclude_topics: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub sources_to_include: Vec<String>,
    pub enable_fact_checking: Option<bool>,
    pub enable_seo_optimization: Option<bool>,
}

/// From here on a brief asks for many sources, more than one search finds.
const MANY_SOURCES: u64 = 15;
/// Up to here money is scarce, and only the fewest workers are chosen.
const LOW_BUDGET: f64 = 2.0;
/// Up to here time is short, and no luxury is chosen that nothing asks for.
const SHORT_TIME: f64 = 600.0;
const LONG_TEXT: u64 = 3000;

impl Brief {
    pub fn of(input: &Value) -> Result<Self, String> {
        let brief: Self = field(input, "brief")?;
        if brief.topic.trim().is_empty() { Err("`brief`: `topic` is missing".to_string()) } else { Ok(brief) }
    }

    pub fn depth(&self) -> &str {
        self.research_depth.as_deref().unwrap_or("standard")
    }

    /// As many as it says, or as its depth promises.
    pub fn sources_wanted(&self) -> u64 {
        self.min_sources.unwrap_or(match self.depth() {
            "light" => 3,
            "deep" => MANY_SOURCES,
            _ => 10,
        })
    }

    /// From 0 to 1: a long topic, points and sources to heed, length and depth make it harder.
    pub fn complexity(&self) -> f64 {
        let mut tenths = 5;
        tenths += i32::from(self.topic.chars().count() > 50);
        tenths += i32::from(!self.key_points.is_empty());
        tenths += i32::from(!self.sources_to_include.is_empty());
        tenths += if self.length.is_some_and(|length| length > LONG_TEXT) { 2 } else { 0 };
        tenths += match self.depth() {
            "light" => -2,
            "deep" => 2,
            _ => 0,
        };
        f64::from(tenths.clamp(0, 10)) / 10.0
    }

    /// What a worker may be good for here, in the catalogue's words.
    fn asks(&self) -> Vec<String> {
        let mut asks: Vec<String> = self.preferred_sources.iter().map(|kind| format!("source:{kind}")).collect();
        asks.extend(self.tone.iter().map(|tone| format!("tone:{tone}")));
        asks.extend(self.content_type.iter().map(|kind| format!("type:{kind}")));
        let more = [
            (self.sources_wanted() >= MANY_SOURCES, "sources:many"),
            (self.length.is_some_and(|length| length > LONG_TEXT), "length:long"),
            (self.enable_fact_checking == Some(true), "check:facts"),
            (self.enable_seo_optimization == Some(true), "check:search"),
        ];
        asks.extend(more.into_iter().filter(|(holds, _)| *holds).map(|(_, ask)| ask.to_string()));
        asks
    }

    /// What is switched off.
    fn refuses(&self) -> Vec<&'static str> {
        let switched = [(self.enable_fact_checking, "check:facts"), (self.enable_seo_optimization, "check:search")];
        switched.into_iter().filter(|(switch, _)| *switch == Some(false)).map(|(_, ask)| ask).collect()
    }

    /// What cannot all be had at once, one sentence each.
    fn problems(&self) -> Vec<String> {
        let same = |a: &str, b: &str| a.trim().to_lowercase() == b.trim().to_lowercase();
        let wanted = self.key_points.iter().chain(&self.keywords).chain(&self.specific_sections).chain([&self.topic]);
        let both = wanted.filter(|wanted| self.exclude_topics.iter().any(|excluded| same(wanted, excluded)));
        both.map(|both| format!("\"{both}\" is both asked for and excluded")).collect()
    }
}

/// How many workers a topic of this complexity gets: its band, the fewest and the most of the band, and how many of those.
fn band(complexity: f64) -> (&'static str, usize, usize, usize) {
    let (name, from, to, least, most) = match complexity {
        low if low < 0.4 => ("simple", 0.0, 0.4, 3, 5),
        middle if middle < 0.7 => ("medium", 0.4, 0.7, 6, 10),
        _ => ("complex", 0.7, 1.0, 11, 17),
    };
    // A hair is added because six tenths less four tenths are not quite two.
    let share = (complexity - from) / (to - from) + 1e-9;
    (name, least, most, least + (share * (most - least) as f64) as usize)
}

/// `{brief, workers}` → how complex the brief is, which workers it asks for, what they would cost and take, and `problems`: what
/// in the brief contradicts itself.
pub(super) fn analyse(input: &Value) -> Result<Value, String> {
    let brief = Brief::of(input)?;
    let catalogue = Catalogue::of(input)?;
    let complexity = brief.complexity();
    let (band, least, most, count) = band(complexity);
    let count = if brief.max_budget.is_some_and(|budget| budget <= LOW_BUDGET) { least } else { count };
    let asks = brief.asks();
    let chosen = choose(&brief, &catalogue, &asks, count, most);
    let (cost, time) = catalogue.estimate(chosen.iter().map(|worker| worker.id.as_str()));
    let multi_hop = complexity > 0.7 || brief.key_points.len() > 3;
    let sub_topics: Vec<&String> = brief.key_points.iter().chain(&brief.specific_sections).collect();
    Ok(json!({
        "complexity_score": complexity,
        "band": band,
        "workers": { "least": least, "most": most, "count": count },
        "estimated_research_depth": match complexity { high if high > 0.7 => 15, middle if middle > 0.5 => 10, _ => 5 },
        "requires_multi_hop": multi_hop,
        "sub_topics": sub_topics,
        "required_capabilities": asks,
        "recommended_workers": chosen.iter().map(|worker| &worker.id).collect::<Vec<_>>(),
        "recommended_approach": if multi_hop { "search, read what was found, search again where it leads" } else { "search broadly once" },
        "estimated_cost": rounded(cost, 2),
        "estimated_time_seconds": time,
        "problems": brief.problems(),
    }))
}

/// First what every plan has, then what the brief asks for, then by rank until there are enough.
fn choose<'a>(brief: &Brief, catalogue: &'a Catalogue, asks: &[String], count: usize, most: usize) -> Vec<&'a Worker> {
    let refused = brief.refuses();
    let short = brief.max_time.is_some_and(|time| time <= SHORT_TIME);
    let offered: Vec<&Worker> =
        catalogue.by_rank().into_iter().filter(|worker| !worker.suits.iter().any(|suit| refused.contains(&suit.as_str()))).collect();
    let is_asked = |worker: &&&Worker| worker.suits.iter().any(|suit| asks.contains(suit));
    let is_spare = |worker: &&Worker| short && worker.priority >= Priority::Medium;
    let (needed, others): (Vec<&Worker>, Vec<&Worker>) = offered.iter().partition(|worker| worker.always);
    let (asked, others): (Vec<&Worker>, Vec<&Worker>) = others.iter().partition(is_asked);
    let room = most.saturating_sub(needed.len());
    let mut chosen: Vec<&Worker> = needed.into_iter().chain(asked.into_iter().take(room)).collect();
    let missing = count.saturating_sub(chosen.len());
    chosen.extend(others.into_iter().filter(|worker| !is_spare(worker)).take(missing));
    chosen.sort_by_key(|worker| (catalogue.place(&worker.phase), worker.rank));
    chosen
}
