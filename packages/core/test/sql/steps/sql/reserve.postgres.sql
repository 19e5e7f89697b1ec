select ((('[' || (select '["' || string_agg(nextval((select coalesce(pg_get_serial_sequence('"album"', 'id'), (select s.oid::regclass::text
                  from pg_attrdef f join pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = f.oid join pg_class s on d.refclassid = 'pg_class'::regclass and s.oid = d.refobjid and s.relkind = 'S'
                  where f.adrelid = '"album"'::regclass and a.attname = 'id'
                  limit 1))::regclass))::text, '","') || '"]'
        from generate_series(1, $1::int))) || ',') || ((select '["' || string_agg(nextval((select coalesce(pg_get_serial_sequence('"track"', 'id'), (select s.oid::regclass::text
                from pg_attrdef f join pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = f.oid join pg_class s on d.refclassid = 'pg_class'::regclass and s.oid = d.refobjid and s.relkind = 'S'
                where f.adrelid = '"track"'::regclass and a.attname = 'id'
                limit 1))::regclass))::text, '","') || '"]'
      from generate_series(1, $2::int)) || ']')) as json
-- [2,2]
