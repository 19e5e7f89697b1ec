select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select cast(cast("t"."id" as integer) as text) as "json"
        from (select value as "id"
          from json_each(?)) as "x"
        cross join "album" as "t" on "t"."id" = "x"."id"
        order by "t"."id") as "items")) || ']') as json
-- ["[111,113]"]
