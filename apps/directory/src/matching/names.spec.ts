import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nameSimilarity, namesDisagree, nameWords, shareName, shareOnlySurname, wordSimilarity } from './names.js';
import { soundsOf, spelledWords, spellingSimilarity } from './spellings.js';

const similarityOf = (a: readonly string[], b: readonly string[]) => nameSimilarity(a, b, wordSimilarity);
const similarity = (a: string, b: string) => similarityOf(a.split(' '), b.split(' '));

const wordsOf = (first_name: string, last_name: string, display_name?: string) =>
  nameWords({
    first_name: [first_name],
    last_name: [last_name],
    ...(display_name && { display_name: [display_name] }),
  });

describe('the words of a name', () => {
  it('are those of the first and last name', () => {
    expect(wordsOf('Zoë', 'O’Neil', 'Z. O.')).toEqual(['zoe', 'o', 'neil']);
  });

  it.each([
    ['N/A', 'N/A'],
    ['Unknown', 'Unknown'],
    ['Test', 'Test'],
    ['-', '-'],
  ])('are none if both parts are placeholders: %s %s', (first, last) => {
    expect(wordsOf(first, last)).toEqual([]);
    expect(wordsOf('', '', `${first} ${last}`)).toEqual([]);
  });

  it('are those of the display name if the first and last name are placeholders', () => {
    expect(wordsOf('N/A', 'N/A', 'Ann Smith')).toEqual(['ann', 'smith']);
  });

  it.each(['N/A', 'unknown', '-', '0000'])('do not contain a last name %s', (last) => {
    expect(wordsOf('Robert', last)).toEqual(['robert']);
  });

  it.each([
    ['FNU', 'LNU'],
    ['.', '-'],
    ['N.N.', 'n.n.'],
    ['test', 'TEST'],
    ['unknown', 'FNU'],
  ])('are none for %s %s', (first, last) => {
    expect(wordsOf(first, last)).toEqual([]);
    expect(nameWords({ display_name: [`${first} ${last}`] })).toEqual([]);
  });

  it.each(['FNU', 'N.N.', '-', 'unknown', 'Test'])('have a mark for the first name %s', (first) => {
    expect(wordsOf(first, 'Singh')).toEqual(['fnu', 'singh']);
  });

  it.each([
    ['Jennifer', 'Null'],
    ['Li', 'Na'],
  ])('keep names that are also placeholders: %s %s', (first, last) => {
    expect(wordsOf(first, last)).toEqual([first.toLowerCase(), last.toLowerCase()]);
  });

  it('are the first and last name in lower case without accents', () => {
    expect(nameWords({ first_name: ['José María'], last_name: ['Núñez-Ortiz'] })).toEqual([
      'jose',
      'maria',
      'nunez',
      'ortiz',
    ]);
    expect(nameWords({ first_name: ['Ann'], last_name: ['Lee'], display_name: ['Boss'] })).toEqual(['ann', 'lee']);
  });

  it('are the display name if the first or the last name is missing or empty', () => {
    expect(nameWords({ first_name: ['Ann'], display_name: ['Lee, Ann'] })).toEqual(['lee', 'ann']);
    expect(nameWords({ first_name: ['Ann'], last_name: [''], display_name: ['Ann Lee'] })).toEqual(['ann', 'lee']);
  });

  it('are the only name if there is no display name, and none without any name', () => {
    expect(nameWords({ last_name: ['Lee'] })).toEqual(['lee']);
    expect(nameWords({})).toEqual([]);
    expect(nameWords({ display_name: [' -- '] })).toEqual([]);
  });

  it('are separated by any punctuation, also at the ends', () => {
    expect(nameWords({ display_name: ['(Ann) Lee, M.D.'] })).toEqual(['ann', 'lee', 'm', 'd']);
  });

  it('are at most eight, of at most 60 letters', () => {
    expect(nameWords({ display_name: ['a b c d e f g h i j'] })).toHaveLength(8);
    expect(nameWords({ display_name: [`${'a'.repeat(61)} b`] })).toEqual(['a'.repeat(60), 'b']);
  });
});

describe('the similarity of two names', () => {
  it('is 0 if equal letters are further apart than half of the longer word', () => {
    expect(similarity('brian', 'xbxxx')).toBeGreaterThan(0);
    expect(similarity('brian', 'xxbxx')).toBe(0);
    expect(similarity('xxbxx', 'brian')).toBe(0);
    expect(similarity('ab', 'ba')).toBe(0);
    expect(similarity('ab', 'xaxxxxxxx')).toBeGreaterThan(0);
  });

  it('counts at most four equal first letters', () => {
    // Five of six letters are equal: Jaro 8/9, and four tenths of the rest for the first letters.
    expect(similarity('abcdex', 'abcdey')).toBeCloseTo(8 / 9 + 0.4 / 9, 10);
  });

  it.each([
    ['ann lee', 'ann lee', 1],
    ['ann lee', 'lee ann', 1],
    ['martha king', 'marhta king', 0.981],
    ['katrin meier', 'kathrin meyer', 0.93],
    ['dwayne jones', 'duane jones', 0.92],
    ['peter miller', 'petra miller', 0.953],
    ['anna schmidt', 'hans schmidt', 0.833],
    ['ann lee', 'bob fox', 0],
  ])('of "%s" and "%s" is %d', (a, b, expected) => {
    expect(similarity(a, b)).toBeCloseTo(expected, 3);
  });

  it('is reduced by 3 % for each additional middle name', () => {
    expect(similarity('ann lee', 'ann marie lee')).toBeCloseTo(0.97, 5);
    expect(similarity('ann marie lee', 'ann lee')).toBeCloseTo(0.97, 5);
    expect(similarity('ann lee', 'ann marie louise lee')).toBeCloseTo(0.97 ** 2, 5);
    expect(similarity('ann marie lee', 'ann marie lee')).toBe(1);
  });

  it.each([
    ['fnu singh', 'fnu otto', true],
    ['fnu singh', 'raj kaur', true],
    ['fnu singh', 'raj singh', false],
    ['fnu singh', 'fnu singh', false],
    ['ann lee', 'karl berg', true],
    ['ann lee', 'ann berg', false],
    ['robert miller', 'bob miller', false],
    ['jon smith', 'john smyth', false],
    ['müller hans', 'hans mueller', false],
    ['ann lee', 'berg', false],
    ['ann lee', '', false],
    ['иван петров', 'ivan petrov', false],
    ['иван петров', 'ольга белова', true],
    ['иван lee', 'ann lee', false],
    ['иван lee', 'karl berg', true],
    ['Dr. Jan Adler', 'Dr. Ute Weber', true],
    ['Prof. Dr. Jan Adler', 'Prof. Dr. Ute Weber', true],
    ['Hans Dorn', 'Dr. Petra Weber', true],
    ['Jan von Adler', 'Ute von Weber', true],
    ['Jan Adler (extern)', 'Ute Weber (extern)', true],
    ['Jan M.', 'Ute M.', true],
    ['Jan M.', 'J. Mueller', false],
    ['J. M.', 'J. M.', false],
    ['Dr. Jan Adler', 'Adler, Jan', false],
    ['Ludwig van der Berg', 'L. Berg', false],
    ['Le Van', 'Van Le', false],
    ['Wu Li', 'Li Wu', false],
    ['Al Fox', 'Al Berg', false],
    ['Test1 Account', 'Test2 User', true],
    ['Test1 Account', 'Test1 User', false],
    // The similarity of the first words is exactly 0.85.
    ['Enid Berg', 'Neide Vogt', false],
    ['Hanna Berg', 'Hans Vogt', true],
    ['Ann Berg', 'Anna Vogt', false],
    // Two letters are similar by chance.
    ['Jo Berg', 'Jon Vogt', true],
    ['Test1 Account', 'Test User', true],
    ['J. Berg', 'J. Vogt', true],
    ['J. Berg', 'Jan Vogt', false],
    // The `d` is no initial.
    ["Jean d'Adler", 'Dora Weber', true],
    // Beside one other word, a particle is a name.
    ['Ann Le', 'Bo Van', true],
    ['Ann Le', 'Bo Le', false],
    ['Dr. Adler', 'Ute Weber', false],
    ['Adler jun.', 'Ute Weber', false],
  ])('of %j and %j have nothing in common: %s', (a, b, expected) => {
    const words = (text: string) => nameWords({ display_name: [text] });
    expect(namesDisagree(words(a), words(b))).toBe(expected);
    expect(namesDisagree(words(b), words(a))).toBe(expected);
  });

  it.each([
    ['jan mueller', 'ute mueller', true],
    ['jan mueller', 'ute muller', true],
    ['jan mueller', 'jan mueller', false],
    ['anna dorn', 'anna schmidt', false],
    ['maria anna lee', 'anna lee', false],
    ['jon lee', 'john lee', false],
    ['jan mueller', 'ute lang', false],
    ['mueller', 'ute mueller', false],
    ['dr jan mueller', 'dr ute mueller', true],
    ['jan garcia lopez', 'ute garcia lopez', true],
    ['anna maria garcia lopez', 'maria garcia lopez', false],
    ['jan m', 'ute maier', true],
    ['karl maier jun', 'karl maier sen', true],
    ['karl maier jr', 'karl maier junior', false],
    ['karl maier', 'karl maier jun', false],
    ['karl maier ii', 'karl maier iii', true],
    ['karl maier jun', 'ute lang sen', false],
    ['maier jun', 'karl maier sen', false],
    ['maier jun', 'k maier sen', false],
    ['fnu singh', 'raj singh', false],
    ['fnu singh', 'fnu singh', false],
    ['jan karl mueller', 'karl ute mueller', false],
    ['jan von mueller', 'ute von mueller', true],
    ['ann lee', 'ann lee', false],
  ])('of %j and %j is in the last word only: %s', (a, b, expected) => {
    expect(shareOnlySurname(a.split(' '), b.split(' '))).toBe(expected);
    expect(shareOnlySurname(b.split(' '), a.split(' '))).toBe(expected);
  });

  it.each([
    ['ann lee', 'ann berg', true],
    ['ann lee', 'lee ann', true],
    ['ann lee', 'ann lee', true],
    ['lee', 'ann lee', true],
    ['ann lee', 'bo lee', false],
    ['ann lee', 'bo berg', false],
    ['dr ann lee', 'dr bo berg', false],
    ['ann von lee', 'bo von berg', false],
    ['karl maier jun', 'karl maier sen', false],
  ])('of %j and %j is in a word before the last: %s', (a, b, expected) => {
    expect(shareName(a.split(' '), b.split(' '))).toBe(expected);
    expect(shareName(b.split(' '), a.split(' '))).toBe(expected);
  });

  it.each([
    'dr prof professor mr mrs miss mx herr frau mag ing dipl med jur phil habil rer nat mba msc bsc phd',
    'extern ext external intern azubi contractor temp',
    'von van vom der den de dem des du d la le les di da do dal del della dos das el al bin ibn ben zu zur zum',
    'ter ten te af av st san santa abu',
    'jun jr junior sen sr senior ii iii iv',
  ])('is no common word if it is one of %s', (words) => {
    const common = words.split(' ').filter((word) => !namesDisagree(['jan', word, 'adler'], ['ute', word, 'weber']));
    expect(common).toEqual([]);
  });

  it('compares each word with one word only', () => {
    expect(similarity('ann ann', 'ann lee')).toBeCloseTo(0.5, 5);
  });

  it('is 0 for an empty name', () => {
    expect(similarityOf([], ['ann'])).toBe(0);
    expect(similarityOf([], [])).toBe(0);
  });

  it('is between 0 and 1, and 1 for a name in another word order', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 6 });
    const name = fc.array(word, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(similarityOf(a, b)).toBeGreaterThanOrEqual(0);
        expect(similarityOf(a, b)).toBeLessThanOrEqual(1);
        expect(similarityOf(a, [...a].reverse())).toBe(1);
      }),
    );
  });
});

const named = (name: string) => ({ display_name: [name] });
const spelledSimilarity = (a: string, b: string) => spellingSimilarity(spelledWords(named(a)), spelledWords(named(b)));

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
    expect(spelledSimilarity(a, b)).toBe(1);
    expect(spelledSimilarity(b, a)).toBe(1);
  });

  it.each([
    ['Hans Mueller', 'Hans Muller', 0.985],
    ['Jürgen Groß', 'Karl Berg', 0.61],
    ["Ann O'Neill", 'Ann Neill', 0.97],
  ])('is lower for "%s" and "%s"', (a, b, most) => {
    expect(spelledSimilarity(a, b)).toBeLessThanOrEqual(most);
  });

  it('joins only adjacent parts that are one word in the other name', () => {
    expect(spelledSimilarity('Ann Marie Lee', 'Ann Lee')).toBeCloseTo(0.97, 5);
    expect(spelledSimilarity('Ann Lee', 'Annx Lee')).toBeLessThan(1);
    expect(spelledSimilarity('Neill Ann O', 'Ann ONeill')).toBeLessThan(1);
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
