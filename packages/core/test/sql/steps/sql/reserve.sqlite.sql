select ((('[' || '"' || max(0, (select coalesce(max("id"), 0)
          from "album"), coalesce((select seq
            from sqlite_sequence
            where name = 'album'), 0), cast(? as integer)) || '"') || ',') || ('"' || max(0, (select coalesce(max("id"), 0)
        from "track"), coalesce((select seq
          from sqlite_sequence
          where name = 'track'), 0), cast(? as integer)) || '"' || ']')) as json
-- [0,0]
