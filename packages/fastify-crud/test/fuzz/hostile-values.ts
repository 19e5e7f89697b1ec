/** What takes the place of a value in a body. */
export const HOSTILE_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e300, -0.1, 2 ** 31, 2 ** 53, -(2 ** 53), Number.MAX_SAFE_INTEGER, 999_999],
  ...['', '0', '1', 'null', 'true', '\u0000', 'a\u0000', '\ud800', '\udc00x', '\ufeff', '\u202e', 'x'.repeat(5_000)],
  ...[
    "' or 1=1 --",
    "'; drop table zebras; --",
    '") union select 1 --',
    '$1',
    '?',
    '\\',
    '{{7*7}}',
    '../../etc/passwd',
  ],
  ...['0000-01-01', '9999-12-31', '2026-02-30', '2026-01-01T00:00:00', '1e5', '-0', '0x1', '٣', 'Infinity'],
  ...[[], [[]], [null], [0], [1, 1], {}, [{}], [{}, {}], { id: null }, { id: 1 }, [{ id: 1 }, { id: 1 }], { $gt: '' }],
  ...[
    JSON.parse('{"then":1}'),
    { toJSON: 'x' },
    { length: 1, 0: 'a' },
    { valueOf: 1 },
    { constructor: 1 },
    { name: 'x', id: '1' },
  ],
]

/** What takes the place of the name of a property. */
export const HOSTILE_NAMES: readonly string[] = [
  ...['id', 'ID', 'Id', '', ' ', '0', 'x', 'then', 'toString', 'constructor', 'hasOwnProperty', 'length', 'valueOf'],
  ...['itemId', 'item', 'partId', 'parentId', 'parent', 'item_id', 'donor', 'experts', 'parts', 'folders', 'label'],
  ...["a'b", 'a"b', 'a;b', 'a/b~c', 'a\u0000b', '\ud800', '$where', '--', 'a.b', 'a[b]', 'n'.repeat(500)],
]

/** What takes the place of an id, or of any other segment, in a path. It is encoded as it has to be. */
export const HOSTILE_SEGMENTS: readonly string[] = [
  ...[
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e0',
    '0x1',
    '1%20',
    '%201',
    '%00',
    '1%00',
    '%0a',
    '%ff',
    '%zz',
    '%',
    '%2e%2e',
    '..',
  ],
  ...['2147483648', '9007199254740993', '9'.repeat(40), '9'.repeat(100), '9'.repeat(101), 'x'.repeat(2_000)],
  ...[
    'null',
    'undefined',
    'NaN',
    'true',
    '__proto__',
    'constructor',
    '*',
    '{id}',
    ':id',
    '1,2',
    '1;x',
    '1%2F2',
    '%EF%BC%91',
  ],
  ...["1'--", '1%27%20or%201=1', '%22', '%3Cscript%3E', '$1', '~', '1.json'],
]

/** What is added to a query, or takes its place. */
export const HOSTILE_QUERIES: readonly string[] = [
  ...[
    'x=1',
    'limit=0',
    'limit=-1',
    'limit=101',
    'limit=1e1',
    'limit=',
    'limit',
    'limit=%ff',
    'limit=1&limit=2',
    'limit[]=1',
  ],
  ...[
    'offset=-1',
    'offset=9007199254740992',
    'offset=1.5',
    'offset=x',
    'LIMIT=1',
    '__proto__=1',
    'constructor',
    '=',
    '&&',
    '?',
  ],
  ...['_method=DELETE', 'dryRun=true', 'id=1', 'select=*', "limit=1'--", 'limit=%00', '%zz=1', `${'k'.repeat(500)}=1`],
]

/** What takes the place of an operator in brackets. */
export const HOSTILE_OPERATORS: readonly string[] = [
  ...[
    '',
    'like',
    'regex',
    '$gt',
    'EQ',
    'eq][eq',
    'or',
    'not',
    'some',
    '__proto__',
    'constructor',
    'null',
    'in',
    'lt',
    'contains',
  ],
]

/** Filters in JSON that are too deep, too long, or no filters. */
export const HOSTILE_FILTERS: readonly string[] = [
  `${'{"not":'.repeat(9)}{}${'}'.repeat(9)}`,
  `${'{"and":['.repeat(2_000)}${']}'.repeat(2_000)}`,
  JSON.stringify({ or: Array.from({ length: 60 }, (_, id) => ({ id })) }),
  JSON.stringify({ id: { in: Array.from({ length: 501 }, (_, id) => id) } }),
  ...['', '{', '[]', 'null', '1', '"x"', '{"or":[]}', '{"and":{}}', '{"not":null}', '{"id":1,"id":2}', '{"id":{}}'],
  ...[
    '{"id":{"$gt":""}}',
    '{"__proto__":{"id":1}}',
    '{"id":{"__proto__":1}}',
    '{"":1}',
    '{".":1}',
    '{"id.id":1}',
    '{"id":[1]}',
  ],
  ...[
    '{"id":{"eq":null}}',
    '{"id":1e400}',
    '{"id":-0}',
    '{"id":{"in":[null]}}',
    '{"id":{"in":[1,1,1]}}',
    '{"id":{"null":"true"}}',
  ],
]

export const HOSTILE_MEDIA_TYPES: readonly string[] = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'application/json;', ''],
  ...[
    'application/jsonp',
    'APPLICATION/JSON',
    'text/plain;application/json',
    'multipart/form-data; boundary=x',
    '__proto__',
  ],
]

export const HOSTILE_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['x-http-method-override', 'DELETE'],
  ['content-encoding', 'gzip'],
  ['accept', 'text/html'],
  ['prefer', 'return=minimal'],
  ['if-match', '"x"'],
  ['range', 'bytes=0-1'],
  ['expect', 'x'],
  ['cookie', 'a=b'],
]
