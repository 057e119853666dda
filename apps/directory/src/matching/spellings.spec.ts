import { describe, expect, it } from '@jest/globals';
import { soundsOf, spelledWords, spellingSimilarity } from './spellings.js';

const named = (name: string) => ({ display_name: [name] });
const similarity = (a: string, b: string) => spellingSimilarity(spelledWords(named(a)), spelledWords(named(b)));

describe('the words of a name in Latin letters', () => {
  it.each([
    [
      'Jürgen Groß',
      [
        ['jurgen', 'juergen'],
        ['gross', 'gross'],
      ],
    ],
    ['Ju\u0308rgen', [['jurgen', 'juergen']]],
    [
      'ÅSE Ødegård',
      [
        ['ase', 'aase'],
        ['odegard', 'oedegaard'],
      ],
    ],
    [
      'Törnqvist Bäck',
      [
        ['tornqvist', 'toernqvist'],
        ['back', 'baeck'],
      ],
    ],
    [
      'Татьяна Петрова',
      [
        ['tatyana', 'tatyana'],
        ['petrova', 'petrova'],
      ],
    ],
    [
      '伟 王',
      [
        ['wei', 'wei'],
        ['wang', 'wang'],
      ],
    ],
    [
      'Ann (—) Lee',
      [
        ['ann', 'ann'],
        ['lee', 'lee'],
      ],
    ],
    ['N/A', []],
  ])('of %j are plain, and with umlauts written out', (name, expected) => {
    expect(spelledWords(named(name))).toEqual(expected);
  });

  it('have at most 60 letters', () => {
    expect(spelledWords(named('ß'.repeat(50)))[0]?.[0]).toBe('s'.repeat(60));
  });

  it('are the words themselves if these have no Latin form', () => {
    expect(spelledWords(named('Ann \u0640'))[1]).toEqual(['\u0640', '\u0640']);
  });
});

describe('the similarity of two names in any spelling', () => {
  it.each([
    ['Jürgen Groß', 'Juergen Gross'],
    ['Jürgen Groß', 'JURGEN GROSS'],
    ["Anne-Marie O'Neill", 'Anne Marie ONeill'],
    ["Anne-Marie O'Neill", 'Annemarie ONeill'],
    ['Åse Ødegård', 'Aase Oedegaard'],
    ['Гюнтер Vogt', 'Gyunter Vogt'],
    ["D'Angelo Müller-Lüdenscheidt", 'DAngelo MuellerLuedenscheidt'],
  ])('is 1 for "%s" and "%s", in both directions', (a, b) => {
    expect(similarity(a, b)).toBe(1);
    expect(similarity(b, a)).toBe(1);
  });

  it.each([
    ['Hans Mueller', 'Hans Muller', 0.985],
    ['Jürgen Groß', 'Karl Berg', 0.61],
    ["Ann O'Neill", 'Ann Neill', 0.97],
  ])('is lower for "%s" and "%s"', (a, b, most) => {
    expect(similarity(a, b)).toBeLessThanOrEqual(most);
  });

  it('joins only adjacent parts that are one word in the other name', () => {
    expect(similarity('Ann Marie Lee', 'Ann Lee')).toBeCloseTo(0.97, 5);
    expect(similarity('Ann Lee', 'Annx Lee')).toBeLessThan(1);
    expect(similarity('Neill Ann O', 'Ann ONeill')).toBeLessThan(1);
  });
});

describe('the sounds of a name', () => {
  const share = (a: string, b: string) => soundsOf(named(a)).some((sound) => soundsOf(named(b)).includes(sound));

  it.each([
    ['stefan schmidt', 'stephan schmitt'],
    ['philip walter', 'filipp valter'],
    ['carl becker', 'karl beker'],
    ['ann lee', 'lee ann'],
    ['ann lee', 'ann marie lee'],
    ['cecilia shaw', 'zezilia shaw'],
    ['Jürgen Groß', 'Juergen Gross'],
    ["Anne-Marie O'Neill", 'Anne Marie ONeill'],
    ["Anne-Marie O'Neill", 'Annemarie ONeill'],
    ["O'Neill, Anne-Marie", 'Anne Marie ONeill'],
    ['Lee, Ann Marie', 'Ann Lee'],
    ['Jan de Vries', 'Jan DeVries'],
    ['Ewa Nowak', 'Eva Novak'],
    ['Walter Schneider', 'Valter Sneider'],
    ['Катрин Мейер', 'Kathrin Meyer'],
    ['Özlem Yıldız', 'Oezlem Yildiz'],
    ['Ann 123', '123 Ann'],
    ['Nguyen Minh Anh', 'Anh Nguyen Minh'],
    ['adm Alice Greenfield', 'Alice Greenfield - IT'],
  ])('are shared by "%s" and "%s"', (a, b) => {
    expect(share(a, b)).toBe(true);
  });

  it.each([
    ['Nguyen Minh Anh', 'Minh Anh', 'Nguyen'],
    ['DUBOIS Jean Pierre', 'Jean Pierre', 'Dubois'],
    ['GREENFIELD Alice (EXT)', 'Alice', 'Greenfield'],
    ['Alice Greenfield [Contractor]', 'Alice', 'Greenfield'],
    ['Alice Greenfield - IT', 'Alice', 'Greenfield'],
    ['adm Alice Greenfield', 'Alice', 'Greenfield'],
  ])('are shared by the display name "%s" and the names "%s" and "%s"', (display, first, last) => {
    const own = soundsOf({ first_name: [first], last_name: [last] });
    expect(soundsOf(named(display)).filter((sound) => own.includes(sound))).not.toEqual([]);
  });

  it.each([
    ['ann lee', 'ann reed'],
    ['peter miller', 'peter moser'],
    ['ann abel', 'ann akel'],
    ['ann 123', 'ann 124'],
    ['ann', 'ann'],
    ['', ''],
    ['Ann Marianne Lee', 'Ann MarianneLee'],
  ])('are not shared by "%s" and "%s"', (a, b) => {
    expect(share(a, b)).toBe(false);
  });

  it('are one for most names, and at most 16', () => {
    expect(soundsOf(named('Ann Lee'))).toEqual(['AN L']);
    expect(soundsOf(named('Anna Hahn Anna'))).toHaveLength(3);
    expect(soundsOf(named('Otto Otto'))).toEqual(['AT']);
    expect(soundsOf(named('Schwalwalther Schweww Jwo Schwalwalter, Gwew Schwirwicz')).length).toBeLessThanOrEqual(16);
  });
});
