select ((('[' || (select '["' || string_agg(nextval(pg_get_serial_sequence('"album"', 'id'))::text, '","') || '"]'
        from generate_series(1, $1::int))) || ',') || ((select '["' || string_agg(nextval(pg_get_serial_sequence('"track"', 'id'))::text, '","') || '"]'
      from generate_series(1, $2::int)) || ']')) as json
-- [2,2]
