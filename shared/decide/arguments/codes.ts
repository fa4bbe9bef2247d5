import { lazily } from '../../kernel/lazily.ts';

/** The code of a currency from its name in English or Chinese, or from the code itself. */
export const currencyCode = (said: string): string | undefined => {
  const { codes, names } = currencies();
  if (/^[A-Z]{3}$/u.test(said) && codes.has(said)) return said;
  return names.get(said.toLowerCase()) ?? names.get(said.toLowerCase().replace(/s$/u, ''));
};

/** The two-letter code of a language, from its name in English or Chinese. */
export const languageCode = (said: string): string | undefined => languages().get(said.toLowerCase());

export const languageName = (code: string): string => english().of(code) ?? code;

/** The names of the language or currency with a code; none if it is not a code. */
export const codeNames = (kind: 'language' | 'currency', code: string): readonly string[] => {
  const names = kind === 'language' ? languages() : currencies().names;
  const wanted =
    kind === 'language' ? (ODD_CODES[code.toLowerCase()] ?? code.slice(0, 2).toLowerCase()) : code.toUpperCase();
  if (!(kind === 'language' ? /^[a-z]{2}(?:[-_][a-z]{2,4})?$/iu : /^[a-z]{3}$/iu).test(code)) return [];
  return [...names].flatMap(([name, own]) => (own === wanted ? [name] : []));
};

const english = lazily(() => new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }));

const currencies = lazily(() => {
  const display = new Intl.DisplayNames(['en'], { type: 'currency' });
  const codes = Intl.supportedValuesOf('currency');
  const names = new Map(codes.map((code) => [(display.of(code) ?? code).toLowerCase(), code]));
  for (const [name, code] of Object.entries(USUAL_MONEY)) names.set(name, code);
  for (const [name, code] of [...names]) if (name.startsWith('us ')) names.set(name.replace('us ', 'american '), code);
  return { codes: new Set(codes), names };
});

const languages = lazily(() => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  // Codes that were replaced, such as iw for Hebrew, are left out.
  const codes = letters
    .flatMap((one) => letters.map((two) => one + two))
    .filter((code) => english().of(code) && Intl.getCanonicalLocales(code)[0] === code);
  const chinese = new Intl.DisplayNames(['zh'], { type: 'language', fallback: 'none' });
  const names = new Map<string, string>();
  for (const code of codes) {
    for (const name of [english().of(code), chinese.of(code)]) {
      if (name === undefined || names.has(name.toLowerCase())) continue;
      names.set(name.toLowerCase(), code);
      // 法语 is also written 法文.
      if (name.endsWith('语')) names.set(name.replace(/语$/u, '文'), code);
    }
  }
  for (const name of ['汉语', '普通话', 'mandarin']) names.set(name, 'zh');
  return names;
});

/** Country codes that are often used as language codes. */
const ODD_CODES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  jp: 'ja',
  cn: 'zh',
  kr: 'ko',
});
const USUAL_MONEY: Readonly<Record<string, string>> = {
  dollar: 'USD',
  euro: 'EUR',
  pound: 'GBP',
  yen: 'JPY',
  yuan: 'CNY',
  renminbi: 'CNY',
  rupee: 'INR',
  franc: 'CHF',
  bitcoin: 'BTC',
  美元: 'USD',
  美金: 'USD',
  人民币: 'CNY',
  元: 'CNY',
  欧元: 'EUR',
  日元: 'JPY',
  英镑: 'GBP',
  港币: 'HKD',
  韩元: 'KRW',
};
