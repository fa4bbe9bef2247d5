/** Units by dimension: symbol, factor to the dimension's base unit, other names. Factors are exact by definition. */
export interface Unit {
  readonly symbol: string;
  readonly dimension: string;
  readonly factor: number;
  /** Added before multiplying, for scales that do not start at zero. */
  readonly offset?: number;
}

type Row = readonly [symbol: string, factor: number, names: string, offset?: number];

// The international foot, pound and gallon: NIST Special Publication 811, appendix B.
const FOOT = 0.3048;
const POUND = 0.45359237;
const GALLON = 0.003785411784;
const IMPERIAL_GALLON = 0.00454609;
const GRAVITY = 9.80665;

const table: Readonly<Record<string, readonly Row[]>> = {
  length: [
    ['m', 1, 'meter metre'],
    ['km', 1000, 'kilometer kilometre'],
    ['cm', 0.01, 'centimeter centimetre'],
    ['mm', 0.001, 'millimeter millimetre'],
    ['um', 1e-6, 'µm micrometer micron'],
    ['nm', 1e-9, 'nanometer nanometre'],
    ['in', FOOT / 12, 'inch inches'],
    ['ft', FOOT, 'foot feet'],
    ['yd', FOOT * 3, 'yard'],
    ['mi', FOOT * 5280, 'mile'],
    ['nmi', 1852, 'nautical_mile'],
    ['au', 149_597_870_700, 'astronomical_unit'],
    ['ly', 9_460_730_472_580_800, 'light_year lightyear'],
  ],
  mass: [
    ['kg', 1, 'kilogram kilo'],
    ['g', 0.001, 'gram'],
    ['mg', 1e-6, 'milligram'],
    ['ug', 1e-9, 'µg microgram'],
    ['t', 1000, 'tonne metric_ton'],
    ['lb', POUND, 'lbs pound'],
    ['oz', POUND / 16, 'ounce'],
    ['st', POUND * 14, 'stone'],
    ['ton', POUND * 2000, 'short_ton us_ton'],
    ['long_ton', POUND * 2240, 'imperial_ton'],
  ],
  temperature: [
    ['K', 1, 'kelvin'],
    ['C', 1, '°C celsius degC', 273.15],
    ['F', 5 / 9, '°F fahrenheit degF', 459.67],
    ['R', 5 / 9, 'rankine'],
  ],
  time: [
    ['s', 1, 'sec second'],
    ['ms', 0.001, 'millisecond'],
    ['us', 1e-6, 'µs microsecond'],
    ['ns', 1e-9, 'nanosecond'],
    ['min', 60, 'minute'],
    ['h', 3600, 'hr hour'],
    ['d', 86_400, 'day'],
    ['week', 604_800, 'wk'],
    ['year', 31_557_600, 'yr julian_year'],
  ],
  area: [
    ['m2', 1, 'm² square_meter square_metre sqm'],
    ['km2', 1e6, 'km² square_kilometer square_kilometre'],
    ['cm2', 1e-4, 'cm² square_centimeter'],
    ['ha', 1e4, 'hectare'],
    ['acre', FOOT ** 2 * 43_560, 'ac'],
    ['ft2', FOOT ** 2, 'ft² square_foot square_feet sqft'],
    ['in2', (FOOT / 12) ** 2, 'in² square_inch'],
    ['mi2', (FOOT * 5280) ** 2, 'mi² square_mile'],
  ],
  volume: [
    ['m3', 1, 'm³ cubic_meter cubic_metre'],
    ['L', 0.001, 'l liter litre'],
    ['mL', 1e-6, 'ml milliliter millilitre cc'],
    ['gal', GALLON, 'gallon us_gallon'],
    ['qt', GALLON / 4, 'quart'],
    ['pt', GALLON / 8, 'pint'],
    ['cup', GALLON / 16, 'us_cup'],
    ['fl_oz', GALLON / 128, 'floz fluid_ounce'],
    ['tbsp', GALLON / 256, 'tablespoon'],
    ['tsp', GALLON / 768, 'teaspoon'],
    ['imp_gal', IMPERIAL_GALLON, 'imperial_gallon uk_gallon'],
    ['imp_pt', IMPERIAL_GALLON / 8, 'imperial_pint uk_pint'],
    ['ft3', FOOT ** 3, 'ft³ cubic_foot cubic_feet'],
  ],
  speed: [
    ['m/s', 1, 'mps meters_per_second'],
    ['km/h', 1000 / 3600, 'kph kmh kilometers_per_hour'],
    ['mph', (FOOT * 5280) / 3600, 'mi/h miles_per_hour'],
    ['kn', 1852 / 3600, 'knot kt'],
    ['ft/s', FOOT, 'fps feet_per_second'],
  ],
  data: [
    ['B', 1, 'byte'],
    ['bit', 1 / 8, 'b'],
    ['kB', 1e3, 'KB kilobyte'],
    ['MB', 1e6, 'megabyte'],
    ['GB', 1e9, 'gigabyte'],
    ['TB', 1e12, 'terabyte'],
    ['KiB', 1024, 'kibibyte'],
    ['MiB', 1024 ** 2, 'mebibyte'],
    ['GiB', 1024 ** 3, 'gibibyte'],
    ['TiB', 1024 ** 4, 'tebibyte'],
    ['Mbit', 125_000, 'megabit'],
    ['Gbit', 125_000_000, 'gigabit'],
  ],
  energy: [
    ['J', 1, 'joule'],
    ['kJ', 1000, 'kilojoule'],
    ['cal', 4.184, 'calorie'],
    ['kcal', 4184, 'kilocalorie Cal'],
    ['Wh', 3600, 'watt_hour'],
    ['kWh', 3.6e6, 'kilowatt_hour'],
    ['BTU', 1055.05585262, 'btu'],
    ['eV', 1.602176634e-19, 'electronvolt'],
  ],
  power: [
    ['W', 1, 'watt'],
    ['kW', 1000, 'kilowatt'],
    ['MW', 1e6, 'megawatt'],
    ['hp', POUND * GRAVITY * FOOT * 550, 'horsepower'],
    ['PS', 75 * GRAVITY, 'metric_horsepower'],
  ],
  pressure: [
    ['Pa', 1, 'pascal'],
    ['kPa', 1000, 'kilopascal'],
    ['hPa', 100, 'hectopascal mbar millibar'],
    ['bar', 1e5, ''],
    ['atm', 101_325, 'atmosphere'],
    ['psi', (POUND * GRAVITY) / (FOOT / 12) ** 2, ''],
    ['mmHg', 133.322387415, 'torr'],
  ],
  force: [
    ['N', 1, 'newton'],
    ['kN', 1000, 'kilonewton'],
    ['lbf', POUND * GRAVITY, 'pound_force'],
    ['kgf', GRAVITY, 'kilogram_force'],
  ],
  angle: [
    ['rad', 1, 'radian'],
    ['deg', Math.PI / 180, '° degree'],
    ['grad', Math.PI / 200, 'gon'],
    ['turn', 2 * Math.PI, 'revolution'],
  ],
  frequency: [
    ['Hz', 1, 'hertz'],
    ['kHz', 1e3, 'kilohertz'],
    ['MHz', 1e6, 'megahertz'],
    ['GHz', 1e9, 'gigahertz'],
    ['rpm', 1 / 60, ''],
  ],
};

export const DIMENSIONS: readonly string[] = Object.keys(table);

const build = (): ReadonlyMap<string, Unit> => {
  const units = new Map<string, Unit>();
  for (const [dimension, rows] of Object.entries(table))
    for (const [symbol, factor, names, offset] of rows) {
      const unit: Unit = { symbol, dimension, factor, offset };
      for (const name of [symbol, ...names.split(' ').filter((name) => name !== '')]) units.set(name, unit);
    }
  return units;
};
const units = build();

/** A unit by symbol or name; plurals, any case and spaces are accepted. */
export const findUnit = (text: string): Unit | undefined => {
  const given = text.trim();
  const name = given.toLowerCase().replace(/\s+/g, '_');
  return units.get(given) ?? units.get(name) ?? units.get(name.replace(/s$/, '')) ?? upperCase(given);
};

const upperCase = (given: string): Unit | undefined => (given.length <= 2 ? units.get(given.toUpperCase()) : undefined);

export const unitNames = (): Iterable<string> => units.keys();
