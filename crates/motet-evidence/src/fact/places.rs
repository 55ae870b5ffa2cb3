//! Whether two places are two answers to one question: a town against a town, a country against a country.
//! Where each town lies is not known here, so a town and a country never contradict each other.

use super::said::Named;

const CONTINENTS: &str = "africa|america|antarctica|asia|australasia|central america|east asia|eastern europe|europe|latin america|\
    middle east|north america|oceania|scandinavia|south america|southeast asia|western europe";

const COUNTRIES: &str = "afghanistan|albania|algeria|andorra|angola|argentina|armenia|australia|austria|azerbaijan|bahamas|bahrain|bangladesh|\
    barbados|belarus|belgium|belize|benin|bhutan|bolivia|bosnia|bosnia and herzegovina|botswana|brazil|britain|brunei|bulgaria|burkina faso|\
    burma|burundi|cambodia|cameroon|canada|chad|chile|china|colombia|congo|costa rica|croatia|cuba|cyprus|czech republic|czechia|\
    czechoslovakia|denmark|djibouti|dominican republic|east germany|ecuador|egypt|el salvador|eritrea|estonia|eswatini|ethiopia|fiji|finland|\
    france|gabon|gambia|georgia|germany|ghana|great britain|greece|greenland|guatemala|guinea|guyana|haiti|honduras|hungary|iceland|india|\
    indonesia|iran|iraq|ireland|israel|italy|ivory coast|jamaica|japan|jordan|kazakhstan|kenya|korea|kosovo|kuwait|kyrgyzstan|laos|latvia|\
    lebanon|lesotho|liberia|libya|liechtenstein|lithuania|luxembourg|madagascar|malawi|malaysia|maldives|mali|malta|mauritania|mauritius|\
    mexico|moldova|monaco|mongolia|montenegro|morocco|mozambique|myanmar|namibia|nepal|netherlands|new zealand|nicaragua|niger|nigeria|\
    north korea|north macedonia|norway|oman|ottoman empire|pakistan|palestine|panama|papua new guinea|paraguay|persia|peru|philippines|\
    poland|portugal|prussia|qatar|romania|russia|russian empire|rwanda|saudi arabia|senegal|serbia|sierra leone|singapore|slovakia|slovenia|\
    somalia|south africa|south korea|south sudan|soviet union|spain|sri lanka|sudan|suriname|sweden|switzerland|syria|taiwan|tajikistan|\
    tanzania|thailand|togo|tunisia|turkey|turkmenistan|uganda|ukraine|united arab emirates|united kingdom|united states|\
    united states of america|uruguay|us|usa|u.s|u.s.|uk|u.k|u.k.|ussr|uzbekistan|venezuela|vietnam|west germany|yemen|yugoslavia|zambia|\
    zimbabwe";

const REGIONS: &str = "alabama|alaska|alberta|andalusia|arizona|arkansas|bavaria|british columbia|brittany|california|catalonia|colorado|\
    connecticut|cornwall|delaware|england|flanders|florida|galicia|hawaii|hesse|idaho|illinois|indiana|iowa|kansas|kentucky|lombardy|\
    louisiana|lower saxony|maine|manitoba|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|\
    new brunswick|new hampshire|new jersey|new mexico|new south wales|normandy|north carolina|north dakota|northern ireland|nova scotia|ohio|\
    oklahoma|ontario|oregon|pennsylvania|provence|quebec|queensland|rhode island|sardinia|saskatchewan|saxony|scotland|siberia|sicily|silesia|\
    south australia|south carolina|south dakota|tasmania|tennessee|texas|thuringia|tuscany|tyrol|utah|vermont|virginia|wales|wallonia|\
    west virginia|western australia|wisconsin|wyoming|yorkshire";

/// The first two of the same extent.
pub fn rivals<'a>(one: &'a [Named], other: &'a [Named]) -> Option<(&'a Named, &'a Named)> {
    let mut pairs = one.iter().flat_map(|mine| other.iter().map(move |theirs| (mine, theirs)));
    pairs.find(|(mine, theirs)| extent(&mine.0) == extent(&theirs.0))
}

/// How much of the world a name covers, as far as it is known: what is in no list is a town.
fn extent(name: &str) -> usize {
    let is_in = |list: &&str| list.split('|').any(|known| known == name);
    [REGIONS, COUNTRIES, CONTINENTS].iter().position(is_in).map_or(0, |place| place + 1)
}
