import { termOf } from '../../search/text.ts';
import type { Quantity } from './quantities.ts';
import type { Slot } from './slot.ts';

/** How well the unit of a number fits what a slot measures: minutes for minutes, dollars for an amount. */
export const unitAgreement = (slot: Slot, quantity: Quantity): number => {
  if (quantity.dimension !== undefined && slot.nameTerms.includes(quantity.dimension)) return 1;
  if (quantity.percent) return RATE.test(`${slot.name} ${slot.description}`) ? 0.8 : -0.5;
  if (quantity.currency !== undefined) return MONEY.test(`${slot.name} ${slot.description}`) ? 0.8 : -0.6;
  const said = unitOf(quantity.unit);
  if (said === undefined) return 0;
  const wanted = slotUnit(slot);
  if (wanted === undefined) return MEASURES[said.measure]?.test(`${slot.name} ${slot.description}`) ? 0.4 : -0.2;
  return wanted.measure === said.measure ? (wanted.factor === said.factor ? 1 : 0.6) : -0.8;
};

/** The number in the slot's own unit, if both units are known and of one measure other than temperature. */
export const convertUnit = (slot: Slot, quantity: Quantity): number => {
  const said = unitOf(quantity.unit);
  const wanted = slotUnit(slot);
  if (
    said === undefined ||
    wanted === undefined ||
    said.measure !== wanted.measure ||
    said.factor === wanted.factor ||
    said.measure === 'temperature'
  )
    return quantity.value;
  return Number(((quantity.value * said.factor) / wanted.factor).toPrecision(12));
};

interface Unit {
  readonly measure: string;
  readonly factor: number;
}

/** Whether two units are known and of the same measure. */
export const sameMeasure = (one: string, other: string): boolean => {
  const measure = unitOf(one.toLowerCase())?.measure;
  return measure !== undefined && measure === unitOf(other.toLowerCase())?.measure;
};

const unitOf = (word: string | undefined): Unit | undefined => {
  if (word === undefined) return undefined;
  return UNITS.get(word) ?? UNITS.get(termOf(word)) ?? UNITS.get(word.replace(/s$/u, ''));
};

const slotUnit = (slot: Slot): Unit | undefined => {
  for (const term of slot.nameTerms) {
    const unit = term.length > 2 ? unitOf(term) : undefined;
    if (unit !== undefined) return unit;
  }
  const match = /(?:\b(?:in|of|number of)\s(?:the\s)?(?:square |cubic )?|\()([a-z°]+)/giu;
  for (const [, word] of slot.description.matchAll(match)) {
    const unit = unitOf(word?.toLowerCase());
    if (unit !== undefined) return unit;
  }
  return undefined;
};

const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries({
    time: 'second sec s 秒:1 minute min 分钟:60 hour hr h 小时:3600 day night 天:86400 week 周:604800 month:2592000 year yr 年:31536000 millisecond ms:0.001',
    length:
      'meter metre m 米:1 kilometer kilometre km 公里:1000 centimeter cm 厘米:0.01 millimeter mm 毫米:0.001 mile mi 英里:1609.344 foot feet ft 英尺:0.3048 inch:0.0254 yard:0.9144',
    mass: 'kilogram kg 公斤 千克:1 gram g 克:0.001 milligram mg:0.000001 pound lb lbs:0.45359237 ounce oz:0.028349523125 ton tonne:1000',
    temperature: 'celsius celsiu degree degrees:1 fahrenheit:2 kelvin K:3',
    capacitance: 'farad:1 mf:0.001 µf μf uf microfarad:0.000001 nf:1e-9 pf:1e-12',
    inductance: 'henry:1 mh millihenry:0.001 µh μh uh:0.000001',
    power: 'watt:1 kw kilowatt:1000 megawatt:1000000',
    energy: 'joule:1 kj kilojoule:1000',
    pressure: 'pascal:1 kpa kilopascal:1000',
    frequency: 'hertz hz:1 khz kilohertz:1000 mhz megahertz:1000000 ghz gigahertz:1000000000',
    data: 'byte:1 kb kilobyte:1024 mb megabyte:1048576 gb gigabyte:1073741824 tb terabyte:1099511627776',
  }).flatMap(([measure, list]) => {
    const units: [string, Unit][] = [];
    let waiting: string[] = [];
    for (const entry of list.split(' ')) {
      const [word = '', factor] = entry.split(':');
      waiting.push(word);
      if (factor === undefined) continue;
      for (const each of waiting)
        units.push(
          [each, { measure, factor: Number(factor) }],
          [termOf(each) || each, { measure, factor: Number(factor) }],
        );
      waiting = [];
    }
    return units;
  }),
);
const MEASURES: Readonly<Record<string, RegExp>> = {
  time: /time|duration|period|age|long|interval|timeout|term/iu,
  length: /length|distance|height|width|depth|radius|diameter|base|side|altitude|long/iu,
  mass: /mass|weight/iu,
  temperature: /temp|heat|degree/iu,
  capacitance: /capacit/iu,
  inductance: /induct/iu,
  power: /power/iu,
  energy: /energy|heat|work/iu,
  pressure: /pressure/iu,
  frequency: /frequen/iu,
  data: /size|memory|storage|capacity/iu,
};
const RATE = /rate|percent|%|yield|return|interest|ratio|discount|probab|share|contribution|growth|confidence|level/iu;
const MONEY =
  /price|cost|amount|budget|salary|income|money|dollar|usd|payment|invest|loan|principal|balance|value|fund|fee|deposit|revenue|profit|asset|expense|tax|debt|worth|capital|purchase|total/iu;
