//! What was measured, as lines for people.
//! Whoever wants to go on calculating takes the JSON.

use std::fmt;

use super::Measured;

impl fmt::Display for Measured {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let share = |value: Option<f64>| value.map_or("not measured".to_string(), |value| format!("{value:.3}"));
        writeln!(out, "claims                         {} ({} supported)", self.claims, self.supported)?;
        writeln!(out, "flagged for a number or name   {}", self.flagged)?;
        writeln!(out, "  precision                    {}", share(self.flag_precision))?;
        writeln!(out, "  recall                       {}", share(self.flag_recall))?;
        if self.token_precision.is_some() || self.token_recall.is_some() {
            writeln!(out, "by number and name")?;
            writeln!(out, "  precision                    {}", share(self.token_precision))?;
            writeln!(out, "  recall                       {}", share(self.token_recall))?;
        }
        if self.misquoted > 0 {
            writeln!(out, "misquoted                      {}", self.misquoted)?;
        }
        writeln!(out, "AUROC, supported or not        {}", share(self.auroc))?;
        writeln!(out, "AUROC, any support or none     {}", share(self.auroc_any))?;
        writeln!(out, "labels that were right         {}", share(self.accuracy))?;
        write!(out, "time per claim                 {:.3} ms (worst {:.3} ms)", self.milliseconds_per_claim, self.milliseconds_worst)?;
        if let Some(opinions) = &self.opinions {
            let (vouched, objected, undecided) = (opinions.vouched, opinions.objected, opinions.undecided);
            write!(out, "\n\nasked of the model             {}", opinions.asked)?;
            write!(
                out,
                "\n  its answers                  {vouched} for, {objected} against, {undecided} undecided, {} failed",
                opinions.failed
            )?;
            write!(out, "\n  AUROC of these               {} (rules alone {})", share(opinions.auroc), share(opinions.auroc_by_rules))?;
            write!(out, "\nAUROC of all, with the model   {}", share(opinions.auroc_of_all))?;
            write!(out, "\nlabels right, with the model   {}", share(opinions.accuracy))?;
        }
        if !self.families.is_empty() {
            write!(out, "\n\nkind                           claims  flagged  mean score  AUROC")?;
        }
        for family in &self.families {
            let name = format!("{}, {}", family.name, if family.supported { "supported" } else { "not supported" });
            let auroc = share(family.auroc);
            write!(out, "\n{name:30} {:6}  {:7}  {:10.2}  {auroc}", family.claims, family.flagged, family.mean_score)?;
        }
        if self.unread > 0 {
            write!(out, "\n\nlines that are no labelled claims: {}", self.unread)?;
        }
        for problem in &self.problems {
            write!(out, "\n  {problem}")?;
        }
        Ok(())
    }
}
