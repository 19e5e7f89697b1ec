select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select ((('[' || cast("x"."id" as integer)) || ',') || (cast("t"."id" as integer) || ']')) as "json"
        from (select value as "crud_row", value ->> 0 as "id", value ->> 1 as "shelf"
          from json_each(?)) as "x" join "album" as "t" on "t"."shelf" = "x"."shelf"
        order by "t"."id") as "items")) || ']') as json
-- ["[[0,7],[1,2],[2,1]]"]
